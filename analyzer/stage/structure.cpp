// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/structure.h"

#include <algorithm>

#include "analyzer/stage/place_table.h"

namespace moescope {

std::string_view name(Origin origin) {
  switch (origin) {
    case Origin::kMarked:
      return "marked";
    case Origin::kFound:
      return "found";
    case Origin::kMixed:
      return "mixed";
    case Origin::kNone:
      break;
  }
  return "none";
}

Structure marked_structure(const Trace& trace) {
  Structure structure;
  structure.steps = trace.steps;
  PlaceTable places(structure);
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Context& context = trace.context_of(row);
    structure.place.push_back(places.number({context.step, context.layer, context.micro_batch, context.wave}));
  }
  return structure;
}

const Step* find_step(const Structure& structure, RankId rank, StepId step) {
  const auto found = std::lower_bound(structure.steps.begin(), structure.steps.end(), std::pair(rank, step),
                                      [](const Step& s, const auto& key) { return std::pair(s.rank, s.step) < key; });
  return found != structure.steps.end() && found->rank == rank && found->step == step ? &*found : nullptr;
}

std::int64_t step_number(const Structure& structure, RankId rank, StepId step) {
  const Step* known = find_step(structure, rank, step);
  return known != nullptr ? known->number : step.value;
}

}  // namespace moescope
