// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/range_context.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/model/launch_index.h"
#include "analyzer/model/parallel.h"
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

// The ranges of one track. Numbers into says and steps are the track's own.
struct TrackRanges {
  std::vector<RangeSays> says{RangeSays{}};  // the first one says nothing
  std::vector<StepRange> steps;
  std::vector<std::pair<std::size_t, std::int32_t>> opened;
};

class TrackWalk {
 public:
  TrackWalk(const Trace& trace, NameMeanings& meanings, Column<std::int32_t>& of)
      : trace_(trace), meanings_(meanings), of_(of) {}

  TrackRanges walk(const Track& track) {
    result_ = {};
    open_.clear();
    step_of_row_.clear();
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      const Ns start = trace_.spans.start[row];
      while (!open_.empty() && open_.back().end <= start) open_.pop_back();
      of_[row] = open_.empty() ? 0 : innermost(start);
      const Context& context = trace_.context_of(row);
      if (context.kind != SpanKind::kRANGE || is_operator(context)) continue;
      const Ns end = trace_.spans.end(row);
      const RangeSays around = result_.says[static_cast<std::size_t>(of_[row])];
      open_.push_back({end, row, add(inside(row, track.rank, around)),
                       !open_.empty() && (open_.back().crossing || open_.back().end < end)});
      if (is_user_range(trace_, row)) result_.opened.emplace_back(row, open_.back().says);
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
  NameMeanings& meanings_;
  Column<std::int32_t>& of_;
  TrackRanges result_;
  std::vector<Open> open_;
  std::unordered_map<std::int32_t, RangeWords> words_;  // by name
  std::unordered_map<std::size_t, std::int32_t> step_of_row_;
};

// Puts the tracks' ranges into one list, and makes their rows' numbers those of it.
void unite(const Trace& trace, std::vector<TrackRanges>& tracks, RangeContexts& result) {
  result.says.emplace_back();
  std::vector<std::int32_t> offset(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    TrackRanges& track = tracks[i];
    offset[i] = static_cast<std::int32_t>(result.says.size()) - 1;
    for (auto one = track.says.begin() + 1; one != track.says.end(); ++one) {
      if (one->step >= 0) one->step += static_cast<std::int32_t>(result.steps.size());
      result.says.push_back(*one);
    }
    for (const auto& [row, says] : track.opened) result.opened.emplace_back(row, says == 0 ? 0 : says + offset[i]);
    result.steps.insert(result.steps.end(), track.steps.begin(), track.steps.end());
    track = {};
  }
  each_in_parallel(tracks.size(), trace.spans.size(), [&] {
    return [&](std::size_t i) {
      const Track& track = trace.tracks[i];
      for (std::size_t row = track.first_row; offset[i] > 0 && row < track.first_row + track.rows; ++row)
        if (result.of[row] != 0) result.of[row] += offset[i];
    };
  });
}

}  // namespace

bool is_user_range(const Trace& trace, std::size_t row) {
  const Context& context = trace.context_of(row);
  return context.kind == SpanKind::kRANGE && !is_operator(context) && !trace.name_of(row).starts_with("ProfilerStep#");
}

RangeContexts range_contexts(const Trace& trace, const Column<std::uint32_t>& launches, NameMeanings& meanings) {
  RangeContexts result;
  const bool any = std::any_of(trace.contexts.begin(), trace.contexts.end(), [](const Context& context) {
    return context.kind == SpanKind::kRANGE && !is_operator(context);
  });
  if (!any) {
    result.says.emplace_back();
    result.of.resize(trace.spans.size(), 0);
    return result;
  }
  result.of.resize(trace.spans.size());
  std::vector<TrackRanges> tracks(trace.tracks.size());
  each_in_parallel(tracks.size(), trace.spans.size(), [&] {
    return [&, walk = TrackWalk(trace, meanings, result.of)](std::size_t i) mutable {
      tracks[i] = walk.walk(trace.tracks[i]);
    };
  });
  unite(trace, tracks, result);
  project_backward(trace, result);
  each_in_parallel(trace.tracks.size(), trace.spans.size(), [&] {
    return [&](std::size_t i) {
      const Track& track = trace.tracks[i];
      if (!track.is_execution()) return;
      for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row)
        if (launches[row] != kNoLaunch) result.of[row] = result.of[launches[row]];
    };
  });
  return result;
}

}  // namespace moescope
