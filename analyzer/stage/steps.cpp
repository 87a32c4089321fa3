// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/steps.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "analyzer/model/parallel.h"
#include "analyzer/stage/repeats.h"

namespace moescope {
namespace {

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

// Spans of one track of a device, in the order they ran: the busiest one's sequence stands for the device.
const Track* busiest_track(const Trace& trace, RankId rank) {
  const Track* busiest = nullptr;
  for (const Track& track : trace.tracks)
    if (track.is_execution() && track.rank == rank && (busiest == nullptr || track.rows > busiest->rows))
      busiest = &track;
  return busiest != nullptr && busiest->rows > 0 ? busiest : nullptr;
}

struct FoundSteps {
  double confidence = 0;
  bool one_layer = false;  // what repeats is a layer, by all one can see
  std::vector<Step> steps;
};

// A stretch that holds each exchange and expert GEMM once is one layer. Where a record holds nothing but layers, they
// would pass for steps.
bool is_one_layer(const Trace& trace, const Attribution& attribution, std::span<const std::uint32_t> rows) {
  constexpr StageSet kOnce = StageSet(Stage::kDISPATCH) | Stage::kCOMBINE | Stage::kL1 | Stage::kL2;
  std::map<std::tuple<std::int32_t, Stage, Pass>, int> count;
  bool exchange = false;
  for (const std::size_t row : rows) {
    const Stage stage = attribution.stage[row];
    exchange = exchange || stage == Stage::kDISPATCH || stage == Stage::kALLTOALL;
    if (!kOnce.contains(stage) || is_control(attribution.part[row])) continue;
    if (++count[{trace.spans.name[row], stage, attribution.pass[row]}] > 1) return false;
  }
  return exchange;
}

FoundSteps search(const Trace& trace, const Attribution& attribution, const Track& track) {
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> symbols;
  std::vector<std::int64_t> pauses;
  std::map<std::pair<std::int32_t, Stage>, std::int32_t> known;
  std::vector<std::int32_t> symbol_of(trace.names.size(), -1);  // of a name whose stage is always the same
  std::vector<Stage> stage_of(trace.names.size(), Stage::kUNATTRIBUTED);
  Ns end = 0;
  rows.reserve(track.rows);
  symbols.reserve(track.rows);
  pauses.reserve(track.rows);
  for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
    if (attribution.activity[row] == ActivityClass::kNone) continue;
    const std::int32_t name = trace.spans.name[row];
    const auto at = static_cast<std::size_t>(name);
    const Stage stage = attribution.stage[row];
    std::int32_t symbol = symbol_of[at];
    if (symbol < 0 || stage_of[at] != stage) {
      symbol = known.try_emplace({name, stage}, static_cast<std::int32_t>(known.size())).first->second;
      if (symbol_of[at] < 0) symbol_of[at] = symbol, stage_of[at] = stage;
    }
    const Ns start = trace.spans.start[row];
    pauses.push_back(rows.empty() ? 0 : std::max<Ns>(0, start - end));
    end = std::max(rows.empty() ? start : end, trace.spans.end(row));
    rows.push_back(static_cast<std::uint32_t>(row));
    symbols.push_back(symbol);
  }
  const Repeats repeats = find_repeats(symbols, known.size(), pauses);
  FoundSteps found;
  found.confidence = repeats.confidence;
  if (repeats.begins.size() > 1) {
    const std::size_t from = repeats.begins[repeats.begins.size() / 2 - 1],
                      to = repeats.begins[repeats.begins.size() / 2];
    found.one_layer = is_one_layer(trace, attribution, std::span(rows).subspan(from, to - from));
  }
  for (std::size_t k = 0; k < repeats.begins.size(); ++k) {
    const bool last = k + 1 == repeats.begins.size();
    Step step;
    step.rank = track.rank;
    step.step = StepId(static_cast<std::int32_t>(k));
    step.number = static_cast<std::int64_t>(k);
    step.clock = track.clock;
    step.window.begin = trace.spans.start[rows[repeats.begins[k]]];
    step.window.end = last ? end : trace.spans.start[rows[repeats.begins[k + 1]]];
    step.ended = !last || repeats.last_whole;
    found.steps.push_back(step);
  }
  return found;
}

// The step that an instant lies in. What is asked for mostly lies where the last one did, or in the next step.
class StepAt {
 public:
  explicit StepAt(const std::vector<Step>& steps) : steps_(steps) {}  // ascending in time
  StepId of(Ns instant) {
    if (!(covers(last_, instant) || covers(++last_, instant))) {
      const auto next = std::upper_bound(steps_.begin(), steps_.end(), instant,
                                         [](Ns t, const Step& step) { return t < step.window.begin; });
      last_ = next == steps_.begin() ? 0 : static_cast<std::size_t>(next - steps_.begin()) - 1;
    }
    return covers(last_, instant) ? steps_[last_].step : StepId();
  }

 private:
  bool covers(std::size_t index, Ns instant) const {
    return index < steps_.size() && steps_[index].window.begin <= instant && instant < steps_[index].window.end;
  }
  const std::vector<Step>& steps_;
  std::size_t last_ = 0;
};

class StepFinder {
 public:
  StepFinder(const Trace& trace, const RangeContexts& ranges, Attribution& attribution, PlaceTable& places)
      : trace_(trace), ranges_(ranges), attribution_(attribution), structure_(attribution.structure), places_(places) {}

  void run() {
    structure_.steps = trace_.steps;
    std::set<RankId> marked, ranks;
    for (const Step& step : trace_.steps) marked.insert(step.rank);
    for (const Track& track : trace_.tracks) {
      if (!track.is_execution() || track.rows == 0) continue;
      ranks.insert(track.rank);
      if (marked.contains(track.rank)) continue;
      for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row)
        if (trace_.context_of(row).step.valid()) {
          marked.insert(track.rank);
          break;
        }
    }
    std::size_t named = 0, found = 0;
    std::vector<std::pair<RankId, const Track*>> searched;  // ranks whose kernels are looked at, and where
    for (const RankId rank : ranks) {
      if (marked.contains(rank)) continue;
      if (by_names(rank))
        ++named;
      else if (const Track* track = busiest_track(trace_, rank); track != nullptr)
        searched.emplace_back(rank, track);
    }
    std::vector<FoundSteps> finds(searched.size());
    each_in_parallel(searched.size(), trace_.spans.size(), [&] {
      return [&](std::size_t i) { finds[i] = search(trace_, attribution_, *searched[i].second); };
    });
    std::set<std::size_t> counts;
    double least = 1;
    for (std::size_t i = 0; i < finds.size(); ++i) {
      const FoundSteps& one = finds[i];
      least = std::min(least, one.confidence);
      if (one.confidence < kLeastConfidence) continue;
      if (one.one_layer) {
        one_layer_ = true;
        continue;
      }
      ++found;
      counts.insert(one.steps.size());
      structure_.steps.insert(structure_.steps.end(), one.steps.begin(), one.steps.end());
    }
    each_in_parallel(searched.size(), trace_.spans.size(), [&] {
      return [&](std::size_t i) {
        if (finds[i].confidence >= kLeastConfidence && !finds[i].one_layer)
          assign_by_time(searched[i].first, finds[i].steps);
      };
    });
    std::sort(structure_.steps.begin(), structure_.steps.end(),
              [](const Step& a, const Step& b) { return std::pair(a.rank, a.step) < std::pair(b.rank, b.step); });
    name_kinds();
    say(ranks.size(), marked.size(), named, found, least, counts.size() > 1);
  }

 private:
  // Steps that ranges name: device work belongs to the one it was launched in, as with marks.
  bool by_names(RankId rank) {
    std::vector<Step> steps;
    for (const StepRange& range : ranges_.steps) {
      if (range.rank != rank) continue;
      const Track& track = trace_.track_of(range.row);
      if (trace_.spans.duration[range.row] == 0) continue;
      Step step;
      step.rank = rank;
      step.number = range.number;
      step.kind = range.kind;
      step.clock = track.clock;
      step.window = trace_.spans.interval(range.row);
      step.ended = (trace_.context_of(range.row).flags & kContextUnterminated) == 0;
      steps.push_back(step);
    }
    if (steps.empty()) return false;
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      return std::tie(a.window.begin, b.window.end) < std::tie(b.window.begin, a.window.end);
    });
    // Several threads may carry the mark, and a step may lie in another: the outermost counts.
    std::vector<Step> apart;
    for (Step& step : steps)
      if (apart.empty() || step.window.begin >= apart.back().window.end) apart.push_back(step);
    for (std::size_t i = 0; i < apart.size(); ++i) {
      apart[i].step = StepId(static_cast<std::int32_t>(i));
      if (apart[i].number < 0) apart[i].number = static_cast<std::int64_t>(i);
    }
    StepAt step_at(apart);
    PlaceChanges changes(places_);
    for (const Track& track : trace_.tracks) {
      if (track.rank != rank || !track.is_execution()) continue;
      for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
        const std::uint32_t launch = attribution_.launch[row];
        if (launch != kNoLaunch) set_step(changes, row, step_at.of(trace_.spans.start[launch]));
      }
    }
    structure_.steps.insert(structure_.steps.end(), apart.begin(), apart.end());
    return true;
  }

  void assign_by_time(RankId rank, const std::vector<Step>& steps) {
    StepAt step_at(steps);
    PlaceChanges changes(places_);
    for (const Track& track : trace_.tracks) {
      if (track.rank != rank || !track.is_execution() || track.clock != steps.front().clock) continue;
      for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row)
        set_step(changes, row, step_at.of(trace_.spans.start[row]));
    }
  }

  static void set_step(PlaceChanges& changes, std::size_t row, StepId step) {
    if (step.valid()) changes.apply(row, step.value, [step](Place& place) { place.step = step; });
  }

  // A step with work of the backward pass trains.
  void name_kinds() {
    std::set<std::pair<RankId, StepId>> train;
    for (const Track& track : trace_.tracks) {
      if (!track.is_execution()) continue;
      StepId last;
      for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
        const Pass pass = attribution_.pass[row];
        if (pass != Pass::kBACKWARD && pass != Pass::kBACKWARD_INPUT && pass != Pass::kBACKWARD_WEIGHT) continue;
        const StepId step = places_.at(row).step;
        if (step == last) continue;
        last = step;
        train.insert({track.rank, step});
      }
    }
    for (Step& step : structure_.steps)
      if (step.kind == StepKind::kUNKNOWN && train.contains({step.rank, step.step})) step.kind = StepKind::kTRAIN;
  }

  void say(std::size_t ranks, std::size_t marked, std::size_t named, std::size_t found, double least, bool differ) {
    StructureFact& fact = structure_.step_fact;
    const std::size_t known = marked + named;
    if (known == 0 && found == 0) {
      fact.confidence = ranks > 0 ? least : -1;
      fact.evidence = "no step is marked";
      if (one_layer_)
        fact.evidence += ", and what repeats holds one expert layer: nothing tells a step from a layer then";
      else if (ranks > 0)
        fact.evidence += ", and the kernels' sequence as a whole does not repeat three times" +
                         (least > 0 ? " (confidence " + two_digits(least) + ")" : "");
      return;
    }
    fact.origin = found == 0 ? Origin::kMarked : known == 0 ? Origin::kFound : Origin::kMixed;
    fact.confidence = found > 0 ? std::max(least, kLeastConfidence) : 1;
    if (found == 0)
      fact.evidence = marked > 0 ? "marked in the record" : "named by ranges";
    else
      fact.evidence = "the period of the kernels' sequence";
    if (known + found < ranks)
      fact.evidence += "; on " + std::to_string(ranks - known - found) + " ranks none were found";
    if (differ) fact.evidence += "; ranks have different numbers of them";
  }

  const Trace& trace_;
  const RangeContexts& ranges_;
  const Attribution& attribution_;
  Structure& structure_;
  PlaceTable& places_;
  bool one_layer_ = false;
};

}  // namespace

void find_steps(const Trace& trace, const RangeContexts& ranges, Attribution& attribution, PlaceTable& places) {
  StepFinder(trace, ranges, attribution, places).run();
}

}  // namespace moescope
