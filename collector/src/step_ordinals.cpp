// SPDX-License-Identifier: Apache-2.0
#include "collector/src/step_ordinals.h"

namespace moescope::collector {

StepOrdinals::Step& StepOrdinals::add(Rank& rank, std::int64_t number) {
  if (rank.steps.size() == kRemembered) rank.steps.pop_front();
  rank.steps.push_back({number, rank.next++, 0, false});
  return rank.steps.back();
}

std::int32_t StepOrdinals::begin(std::int32_t rank, std::int64_t number, std::int32_t last) {
  Rank& of = ranks_[rank];
  for (auto step = of.steps.rbegin(); step != of.steps.rend() && step->ordinal > last; ++step) {
    if (step->number != number) continue;
    const bool newest = step == of.steps.rbegin();
    if (last < 0 && !newest && step->inside == 0) break;
    ++step->inside;
    return step->ordinal;
  }
  Step& added = add(of, number);
  added.inside = 1;
  return added.ordinal;
}

void StepOrdinals::end(std::int32_t rank, std::int32_t ordinal) {
  Rank& of = ranks_[rank];
  for (auto step = of.steps.rbegin(); step != of.steps.rend(); ++step) {
    if (step->ordinal == ordinal && step->inside > 0) {
      --step->inside;
      return;
    }
  }
}

std::int32_t StepOrdinals::find(std::int32_t rank, std::int64_t number) {
  Rank& of = ranks_[rank];
  for (auto step = of.steps.rbegin(); step != of.steps.rend(); ++step)
    if (step->number == number) return step->ordinal;
  return add(of, number).ordinal;
}

std::int32_t StepOrdinals::window(std::int32_t rank, std::int64_t number) {
  Rank& of = ranks_[rank];
  for (auto step = of.steps.rbegin(); step != of.steps.rend(); ++step) {
    if (step->number != number || step->has_window) continue;
    step->has_window = true;
    return step->ordinal;
  }
  Step& added = add(of, number);
  added.has_window = true;
  return added.ordinal;
}

}  // namespace moescope::collector
