// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/range_context.h"

#include <unordered_map>

#include "analyzer/model/launch_index.h"
#include "analyzer/stage/autograd_ranges.h"

namespace moescope {
namespace {

bool is_operator(const Context& context) {
  return (context.flags & kContextOperator) != 0;
}

// A collective's own range, which is the same whether tokens go out or come back.
bool either_way(const NameMeaning& meaning) {
  return meaning.candidates.contains(Stage::kDISPATCH) && meaning.candidates.contains(Stage::kCOMBINE);
}

class Projection {
 public:
  Projection(const Trace& trace, const std::vector<std::uint32_t>& launches, NameMeanings& meanings)
      : trace_(trace), launches_(launches), meanings_(meanings) {
    result_.says.emplace_back();
    result_.of.resize(trace.spans.size(), 0);
  }

  RangeContexts run() {
    for (const Track& track : trace_.tracks) walk(track);
    project_backward(trace_, result_);
    for (const Track& track : trace_.tracks) {
      if (!track.is_execution()) continue;
      for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row)
        if (launches_[row] != kNoLaunch) result_.of[row] = result_.of[launches_[row]];
    }
    return std::move(result_);
  }

 private:
  struct Open {
    Ns end;
    std::size_t row;
    std::int32_t says;
    bool crossing;  // it outlives a range around it: what that says must be looked up anew
  };

  void walk(const Track& track) {
    open_.clear();
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      const Ns start = trace_.spans.start[row];
      while (!open_.empty() && open_.back().end <= start) open_.pop_back();
      if (!open_.empty()) result_.of[row] = innermost(start);
      const Context& context = trace_.context_of(row);
      if (context.kind != SpanKind::kRANGE || is_operator(context)) continue;
      const Ns end = trace_.spans.end(row);
      const RangeSays around = result_.at(row);
      open_.push_back({end, row, add(inside(row, track.rank, around)),
                       !open_.empty() && (open_.back().crossing || open_.back().end < end)});
      if (is_user_range(trace_, row)) result_.opened.emplace_back(row, open_.back().says);
    }
  }

  std::int32_t innermost(Ns at) {
    if (!open_.back().crossing) return open_.back().says;
    RangeSays says;
    for (const Open& one : open_)
      if (one.end > at) says = inside(one.row, trace_.track_of(one.row).rank, says);
    return add(says);
  }

  std::int32_t add(const RangeSays& says) {
    if (result_.says.back() == says) return static_cast<std::int32_t>(result_.says.size()) - 1;
    result_.says.push_back(says);
    return static_cast<std::int32_t>(result_.says.size()) - 1;
  }

  const RangeWords& words(std::int32_t name) {
    const auto [known, fresh] = words_.try_emplace(name);
    if (fresh) known->second = range_words(trace_.names[static_cast<std::size_t>(name)]);
    return known->second;
  }

  // What a range says of the work in it, on top of what the ranges around it say.
  RangeSays inside(std::size_t row, RankId rank, RangeSays around) {
    const Context& context = trace_.context_of(row);
    const std::int32_t name = trace_.spans.name[row];
    const NameMeaning& meaning = meanings_.of_range(name);
    const RangeWords& words = this->words(name);
    if (words.step && around.step < 0) {
      const auto [step, fresh] = step_of_row_.try_emplace(row, static_cast<std::int32_t>(result_.steps.size()));
      if (fresh) result_.steps.push_back({rank, row, words.step_number, words.step_kind});
      around.step = step->second;
    }
    if (!is_user_range(trace_, row)) return around;
    around.name = name;
    if (context.role != Stage::kUNATTRIBUTED)
      around.stages = context.role;
    else if (context.stage != Stage::kUNATTRIBUTED)
      around.stages = context.stage;
    else if (meaning.known() && !either_way(meaning))
      around.stages = meaning.stages;
    for (const Pass pass : {context.pass, meaning.pass, words.pass})
      if (pass != Pass::kUNKNOWN) {
        around.pass = pass;
        break;
      }
    if (context.layer.valid())
      around.layer = context.layer;
    else if (words.layer >= 0)
      around.layer = LayerId(words.layer);
    if (context.micro_batch.valid())
      around.micro_batch = context.micro_batch;
    else if (words.micro_batch >= 0)
      around.micro_batch = MicroBatchId(words.micro_batch);
    return around;
  }

  const Trace& trace_;
  const std::vector<std::uint32_t>& launches_;
  NameMeanings& meanings_;
  RangeContexts result_;
  std::vector<Open> open_;
  std::unordered_map<std::int32_t, RangeWords> words_;  // by name
  std::unordered_map<std::size_t, std::int32_t> step_of_row_;
};

}  // namespace

bool is_user_range(const Trace& trace, std::size_t row) {
  const Context& context = trace.context_of(row);
  return context.kind == SpanKind::kRANGE && !is_operator(context) && !trace.name_of(row).starts_with("ProfilerStep#");
}

RangeContexts range_contexts(const Trace& trace, const std::vector<std::uint32_t>& launches, NameMeanings& meanings) {
  return Projection(trace, launches, meanings).run();
}

}  // namespace moescope
