// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/autograd_ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

namespace moescope {
namespace {

bool goes_back(const Context& context) {
  return (context.flags & kContextOperator) != 0 && context.pass == Pass::kBACKWARD;
}

struct ForwardOperator {
  std::int32_t rank;
  std::int64_t sequence;
  Ns start;
  std::int32_t says;
};
bool operator<(const ForwardOperator& a, const ForwardOperator& b) {
  return std::tie(a.rank, a.sequence, a.start) < std::tie(b.rank, b.sequence, b.start);
}

// The thread of each rank whose ranges its autograd threads may take; -1 where there is none or no one thread.
std::map<RankId, std::int64_t> calling_threads(const Trace& trace, const RangeContexts& ranges) {
  std::map<RankId, std::int64_t> threads;
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.is_execution()) continue;
    const auto range =
        std::lower_bound(ranges.opened.begin(), ranges.opened.end(), std::pair(track.first_row, INT32_MIN));
    const bool opens = range != ranges.opened.end() && range->first < track.first_row + track.rows;
    bool launches = false, back = false;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      launches = launches || (trace.spans.correlation[row] > 0 && trace.context_of(row).kind == SpanKind::kRUNTIME);
      back = back || goes_back(trace.context_of(row));
    }
    if (!opens || !launches || back) continue;
    const auto [known, fresh] = threads.try_emplace(track.rank, static_cast<std::int64_t>(i));
    if (!fresh) known->second = -1;
  }
  return threads;
}

// The innermost range over time on one thread: rows are in the order of their starts.
class OpenRanges {
 public:
  OpenRanges(const Trace& trace, const RangeContexts& ranges, const Track& track) {
    std::vector<Ns> ends;
    std::vector<std::int32_t> says;
    const auto close_until = [&](Ns at) {
      while (!ends.empty() && ends.back() <= at) {
        const Ns end = ends.back();
        ends.pop_back();
        says.pop_back();
        changes_.emplace_back(end, says.empty() ? 0 : says.back());
      }
    };
    auto range = std::lower_bound(ranges.opened.begin(), ranges.opened.end(), std::pair(track.first_row, INT32_MIN));
    for (; range != ranges.opened.end() && range->first < track.first_row + track.rows; ++range) {
      const Ns start = trace.spans.start[range->first], end = trace.spans.end(range->first);
      close_until(start);
      ends.push_back(end);
      says.push_back(range->second);
      changes_.emplace_back(start, range->second);
    }
    close_until(INT64_MAX);
  }
  std::int32_t at(Ns instant) const {
    const auto next = std::upper_bound(changes_.begin(), changes_.end(), instant,
                                       [](Ns t, const auto& change) { return t < change.first; });
    return next == changes_.begin() ? 0 : std::prev(next)->second;
  }

 private:
  std::vector<std::pair<Ns, std::int32_t>> changes_;
};

}  // namespace

void project_backward(const Trace& trace, RangeContexts& ranges) {
  std::vector<ForwardOperator> forward;
  std::vector<const Track*> with_backward;
  for (const Track& track : trace.tracks) {
    if (track.is_execution()) continue;
    bool back = false;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      const Context& context = trace.context_of(row);
      if ((context.flags & kContextOperator) == 0) continue;
      if (goes_back(context))
        back = true;
      else if (const auto sequence = sequence_of(trace, row); sequence && ranges.of[row] != 0)
        forward.push_back({track.rank.value, *sequence, trace.spans.start[row], ranges.of[row]});
    }
    if (back) with_backward.push_back(&track);
  }
  if (with_backward.empty()) return;
  std::sort(forward.begin(), forward.end());
  const auto callers = calling_threads(trace, ranges);
  std::map<std::int64_t, OpenRanges> open_on;

  std::unordered_map<std::int32_t, std::int32_t> turned;  // what is said of work, to the same with pass backward
  const auto backward = [&](std::int32_t says) {
    const auto [known, fresh] = turned.try_emplace(says, says);
    if (fresh) {
      RangeSays one = ranges.says[static_cast<std::size_t>(says)];
      if (one.pass == Pass::kUNKNOWN || one.pass == Pass::kFORWARD) {
        one.pass = Pass::kBACKWARD;
        known->second = static_cast<std::int32_t>(ranges.says.size());
        ranges.says.push_back(one);
      }
    }
    return known->second;
  };
  for (const Track* track : with_backward) {
    struct Open {
      Ns end;
      std::int32_t says;  // of the forward operator, 0 unknown
    };
    std::vector<Open> open;
    for (std::size_t row = track->first_row; row < track->first_row + track->rows; ++row) {
      const Ns start = trace.spans.start[row];
      while (!open.empty() && open.back().end <= start) open.pop_back();
      if (goes_back(trace.context_of(row))) {
        std::int32_t says = open.empty() ? 0 : open.back().says;
        if (const auto sequence = sequence_of(trace, row)) {
          const auto next =
              std::upper_bound(forward.begin(), forward.end(), ForwardOperator{track->rank.value, *sequence, start, 0});
          if (next != forward.begin() && std::prev(next)->rank == track->rank.value &&
              std::prev(next)->sequence == *sequence)
            says = std::prev(next)->says;
        }
        open.push_back({trace.spans.end(row), says});
      }
      if (open.empty()) continue;
      if (ranges.at(row).name < 0) {
        std::int32_t says = open.back().says;
        if (says == 0)
          if (const auto caller = callers.find(track->rank); caller != callers.end() && caller->second >= 0) {
            const Track& thread = trace.tracks[static_cast<std::size_t>(caller->second)];
            says = open_on.try_emplace(caller->second, trace, ranges, thread).first->second.at(start);
          }
        if (says != 0) ranges.of[row] = says;
      }
      ranges.of[row] = backward(ranges.of[row]);
    }
  }
}

}  // namespace moescope
