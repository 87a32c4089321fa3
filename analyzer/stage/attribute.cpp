// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "analyzer/model/parallel.h"
#include "analyzer/model/union_length.h"
#include "analyzer/stage/attribution.h"
#include "analyzer/stage/gemm_order.h"
#include "analyzer/stage/layers.h"
#include "analyzer/stage/name_meaning.h"
#include "analyzer/stage/range_context.h"
#include "analyzer/stage/steps.h"

namespace moescope {
namespace {

bool is_communication(Stage stage) {
  return kCommunicationStages.contains(stage);
}

// The place in the layer that the surrounding range gives a span. A range of one stage places communication of any kind
// (dispatch's backward runs the combine kernel), and work that by itself is nothing in particular; it does not take a
// GEMM for an exchange, nor an allreduce inside attention for attention.
Stage role_in_range(Stage stage, StageSet range) {
  if (!range.single()) return stage;
  const Stage place = leading_stage(range);
  if (is_communication(stage)) return is_communication(place) ? place : stage;
  const bool nothing_particular = stage == Stage::kOTHER || stage == Stage::kUNATTRIBUTED || stage == Stage::kMEMCPY;
  return nothing_particular ? place : stage;
}

// What the record marks, with what the names of its ranges say where it is silent.
void mark_places(const Trace& trace, const RangeContexts& ranges, Structure& structure, PlaceTable& places) {
  std::vector<std::int32_t> marked;  // by context, what the record itself says
  for (const Context& context : trace.contexts)
    marked.push_back(places.number({context.step, context.layer, context.micro_batch, context.wave}));
  structure.place.resize(trace.spans.size());
  each_in_parallel(trace.tracks.size(), trace.spans.size(), [&] {
    return [&](std::size_t i) {
      PlaceChanges changes(places);
      const Track& track = trace.tracks[i];
      for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
        const Context& context = trace.context_of(row);
        structure.place[row] = marked[static_cast<std::size_t>(trace.spans.context[row])];
        const RangeSays& says = ranges.at(row);
        const bool layer = says.layer.valid() && !context.layer.valid();
        const bool micro_batch = says.micro_batch.valid() && !context.micro_batch.valid();
        if (layer || micro_batch)
          changes.apply(row, ranges.of[row], [&](Place& place) {
            if (layer) place.layer = says.layer;
            if (micro_batch) place.micro_batch = says.micro_batch;
          });
      }
    };
  });
}

// Work on a device, and the part of it whose stage is known: of each, the length of the union over the tracks.
struct Known {
  Ns all = 0, known = 0;
};
Known known_time(const Trace& trace, const Attribution& attribution, const std::vector<const Track*>& tracks) {
  struct Cursor {
    std::size_t row, end;
  };
  std::vector<Cursor> cursors;
  for (const Track* track : tracks) cursors.push_back({track->first_row, track->first_row + track->rows});
  UnionLength all, known;
  while (!cursors.empty()) {  // tracks are few: the earliest next row is looked for
    std::size_t first = 0;
    for (std::size_t i = 1; i < cursors.size(); ++i)
      if (trace.spans.start[cursors[i].row] < trace.spans.start[cursors[first].row]) first = i;
    const std::size_t row = cursors[first].row;
    if (attribution.activity[row] != ActivityClass::kNone) {
      all.add(trace.spans.interval(row));
      if (attribution.stage[row] != Stage::kUNATTRIBUTED) known.add(trace.spans.interval(row));
    }
    if (++cursors[first].row == cursors[first].end) cursors.erase(cursors.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return {all.length(), known.length()};
}

Answer<double> attributed_fraction(const Trace& trace, const Attribution& attribution) {
  std::map<std::tuple<RankId, std::int32_t, ClockId>, std::vector<const Track*>> devices;
  for (const Track& track : trace.tracks)
    if (track.is_execution() && track.rows > 0) devices[{track.rank, track.device, track.clock}].push_back(&track);
  std::vector<const std::vector<const Track*>*> lists;
  for (const auto& [key, tracks] : devices) lists.push_back(&tracks);
  std::vector<Known> times(lists.size());
  each_in_parallel(lists.size(), trace.spans.size(),
                   [&] { return [&](std::size_t i) { times[i] = known_time(trace, attribution, *lists[i]); }; });
  Ns all = 0, known = 0;
  for (const Known& one : times) all += one.all, known += one.known;
  if (all == 0) return Abstained{"no GPU or execution records"};
  return static_cast<double>(known) / static_cast<double>(all);
}

// What a track's rows say of passes.
struct TrackPasses {
  bool forward = false;  // some work goes forward by its name
  bool others = false;   // a pass is marked, or something goes back
};

// Where nobody marks passes, a rank some of whose kernels go forward by their names, and nothing goes back, operators
// of the host included, goes forward with all it does: else those few would be torn from the layers they belong to.
void complete_passes(const Trace& trace, const std::vector<TrackPasses>& said, Attribution& attribution) {
  std::map<RankId, TrackPasses> ranks;
  for (std::size_t i = 0; i < said.size(); ++i) {
    TrackPasses& rank = ranks[trace.tracks[i].rank];
    rank.forward = rank.forward || (said[i].forward && trace.tracks[i].is_execution());
    rank.others = rank.others || said[i].others;
  }
  for (const Track& track : trace.tracks) {
    const TrackPasses& rank = ranks[track.rank];
    if (!track.is_execution() || !rank.forward || rank.others) continue;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row)
      if (attribution.activity[row] != ActivityClass::kNone) attribution.pass[row] = Pass::kFORWARD;
  }
}

// Row by row what names, ranges and the record say; the rest builds on it. Each track by itself.
class Attributor {
 public:
  Attributor(const Trace& trace, NameMeanings& meanings, const RangeContexts& ranges, Attribution& result)
      : trace_(trace), meanings_(meanings), ranges_(ranges), result_(result) {}

  TrackPasses track(const Track& track) {
    passes_ = {};
    const std::size_t end = track.first_row + track.rows;
    if (!track.is_execution()) {
      for (std::size_t row = track.first_row; row < end; ++row) host_row(row);
      return passes_;
    }
    ambiguous_.assign(track.rows, false);
    bool any = false;
    for (std::size_t row = track.first_row; row < end; ++row)
      if (device_row(row)) any = ambiguous_[row - track.first_row] = true;
    if (!any) return passes_;
    order_expert_gemms(track, ambiguous_, result_);
    for (std::size_t row = track.first_row; row < end; ++row)
      if (ambiguous_[row - track.first_row]) set_role(row, trace_.context_of(row));
    return passes_;
  }

 private:
  // True for expert GEMMs whose names don't say which of the two they are.
  bool device_row(std::size_t row) {
    const Context& context = trace_.context_of(row);
    bool ambiguous = false;
    if (context.kind == SpanKind::kRANGE) {
      host_row(row);
    } else {
      const NameMeaning& meaning = meanings_.of_device_work(trace_.spans.name[row], context.kind);
      say(row, context, meaning);
      ambiguous = context.stage == Stage::kUNATTRIBUTED && meaning.candidates.contains(Stage::kL1) &&
                  meaning.candidates.contains(Stage::kL2) &&
                  (meaning.stage == Stage::kL1 || meaning.stage == Stage::kL2);
    }
    result_.activity[row] = activity_class(result_.stage[row], context.kind, context.copy_kind);
    set_role(row, context);
    return ambiguous;
  }

  void host_row(std::size_t row) {
    static const NameMeaning kSilent;
    const Context& context = trace_.context_of(row);
    say(row, context, is_user_range(trace_, row) ? meanings_.of_range(trace_.spans.name[row]) : kSilent);
    result_.activity[row] = ActivityClass::kNone;
    result_.role[row] = context.role != Stage::kUNATTRIBUTED ? context.role : result_.stage[row];
  }

  void say(std::size_t row, const Context& context, const NameMeaning& meaning) {
    const RangeSays& range = ranges_.at(row);
    result_.annotation[row] = range.name;
    if (context.stage != Stage::kUNATTRIBUTED) {  // the record says it itself
      result_.stage[row] = context.stage;
      result_.stages[row] = meaning.stages.contains(context.stage) ? meaning.stages : StageSet(context.stage);
      // A collective's arguments name the operation, not its part; annotations name both.
      const bool part_by_name = context.source == Source::kKINETO && meaning.known();
      result_.part[row] = part_by_name ? meaning.part : context.part;
    } else {  // a meaning that is not known says unattributed
      result_.stage[row] = meaning.stage;
      result_.stages[row] = meaning.stages;
      result_.part[row] = meaning.part;
    }
    if (context.pass != Pass::kUNKNOWN || range.pass != Pass::kUNKNOWN) {
      result_.pass[row] = context.pass != Pass::kUNKNOWN ? context.pass : range.pass;
      passes_.others = true;
    } else {
      result_.pass[row] = meaning.pass;
      passes_.forward = passes_.forward || meaning.pass == Pass::kFORWARD;
      passes_.others = passes_.others || (meaning.pass != Pass::kFORWARD && meaning.pass != Pass::kUNKNOWN);
    }
  }

  void set_role(std::size_t row, const Context& context) {
    const Stage stage = result_.stage[row];
    result_.role[row] = context.role != Stage::kUNATTRIBUTED            ? context.role
                        : result_.activity[row] == ActivityClass::kNone ? stage
                                                                        : role_in_range(stage, ranges_.at(row).stages);
  }

  const Trace& trace_;
  NameMeanings& meanings_;
  const RangeContexts& ranges_;
  Attribution& result_;
  TrackPasses passes_;
  std::vector<bool> ambiguous_;  // by row of the track
};

}  // namespace

Attribution attribute(const Trace& trace, const RuleSet& rules) {
  const std::size_t rows = trace.spans.size();
  Attribution result;
  result.stage.resize(rows);
  result.role.resize(rows);
  result.stages.resize(rows);
  result.part.resize(rows);
  result.pass.resize(rows);
  result.activity.resize(rows);
  result.annotation.resize(rows);
  result.launch = launch_rows(trace);

  NameMeanings meanings(trace, rules);
  const RangeContexts ranges = range_contexts(trace, result.launch, meanings);
  std::vector<TrackPasses> passes(trace.tracks.size());
  each_in_parallel(trace.tracks.size(), rows, [&] {
    return [&, attributor = Attributor(trace, meanings, ranges, result)](std::size_t i) mutable {
      passes[i] = attributor.track(trace.tracks[i]);
    };
  });
  complete_passes(trace, passes, result);
  PlaceTable places(result.structure);
  mark_places(trace, ranges, result.structure, places);
  find_steps(trace, ranges, result, places);
  find_layers(trace, result, places);
  result.attributed_fraction = attributed_fraction(trace, result);
  result.user_rules = meanings.user_rule_uses();
  return result;
}

Attribution attribute(const Trace& trace) {
  return attribute(trace, RuleSet::builtin());
}

}  // namespace moescope
