// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <tuple>

#include "analyzer/model/interval_set.h"
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
  structure.place.resize(trace.spans.size());
  struct Known {
    std::int32_t says = -1, place = -1;
  };
  std::vector<Known> known(trace.contexts.size());  // by context: the last one's
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    Known& one = known[static_cast<std::size_t>(trace.spans.context[row])];
    if (one.place < 0 || one.says != ranges.of[row]) {
      const Context& context = trace.context_of(row);
      Place place{context.step, context.layer, context.micro_batch, context.wave};
      if (!place.layer.valid()) place.layer = ranges.at(row).layer;
      if (!place.micro_batch.valid()) place.micro_batch = ranges.at(row).micro_batch;
      one = {ranges.of[row], places.number(place)};
    }
    structure.place[row] = one.place;
  }
}

Answer<double> attributed_fraction(const Trace& trace, const Attribution& attribution) {
  struct Device {
    IntervalSet all, known;
  };
  std::map<std::tuple<RankId, std::int32_t, ClockId>, Device> devices;
  for (const Track& track : trace.tracks) {
    if (!track.is_execution()) continue;
    IntervalSet all, known;  // of the track, whose rows are in the order of time
    bool same = true;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (attribution.activity[row] == ActivityClass::kNone) continue;
      const Interval one = trace.spans.interval(row);
      all.extend(one);
      if (attribution.stage[row] != Stage::kUNATTRIBUTED)
        known.extend(one);
      else
        same = false;
    }
    Device& device = devices[{track.rank, track.device, track.clock}];
    device.known = device.known.unite(same ? all : known);
    device.all = device.all.unite(all);
  }
  Ns all = 0, known = 0;
  for (const auto& [key, device] : devices) {
    all += device.all.measure();
    known += device.known.measure();
  }
  if (all == 0) return Abstained{"no GPU or execution records"};
  return static_cast<double>(known) / static_cast<double>(all);
}

// Where nobody marks passes, a rank some of whose kernels go forward by their names, and nothing goes back, operators
// of the host included, goes forward with all it does: else those few would be torn from the layers they belong to.
void complete_passes(const Trace& trace, const RangeContexts& ranges, Attribution& attribution) {
  std::map<RankId, bool> forward;
  std::set<RankId> others;  // ranks where a pass is marked, or something goes back
  for (const Track& track : trace.tracks) {
    bool& its_forward = forward[track.rank];
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (attribution.pass[row] == Pass::kUNKNOWN) continue;
      const bool by_name = trace.context_of(row).pass == Pass::kUNKNOWN && ranges.at(row).pass == Pass::kUNKNOWN;
      if (attribution.pass[row] != Pass::kFORWARD || !by_name) {
        others.insert(track.rank);
        break;
      }
      if (track.is_execution()) its_forward = true;
    }
  }
  for (const Track& track : trace.tracks) {
    if (!track.is_execution() || !forward[track.rank] || others.contains(track.rank)) continue;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row)
      if (attribution.activity[row] != ActivityClass::kNone) attribution.pass[row] = Pass::kFORWARD;
  }
}

// Row by row what names, ranges and the record say; the rest builds on it.
class Attributor {
 public:
  Attributor(const Trace& trace, NameMeanings& meanings, const RangeContexts& ranges, Attribution& result)
      : trace_(trace), meanings_(meanings), ranges_(ranges), result_(result), ambiguous_(trace.spans.size(), false) {}

  void run() {
    for (const Track& track : trace_.tracks) {
      const std::size_t end = track.first_row + track.rows;
      if (track.is_execution())
        for (std::size_t row = track.first_row; row < end; ++row) device_row(row);
      else
        for (std::size_t row = track.first_row; row < end; ++row) host_row(row);
    }
    order_expert_gemms(trace_, ambiguous_, result_);
    for (std::size_t row = 0; row < ambiguous_.size(); ++row)
      if (ambiguous_[row]) set_role(row);
  }

 private:
  void device_row(std::size_t row) {
    const Context& context = trace_.context_of(row);
    if (context.kind == SpanKind::kRANGE) {
      host_row(row);
    } else {
      const NameMeaning& meaning = meanings_.of_device_work(trace_.spans.name[row], context.kind);
      say(row, context, meaning);
      ambiguous_[row] = context.stage == Stage::kUNATTRIBUTED && meaning.candidates.contains(Stage::kL1) &&
                        meaning.candidates.contains(Stage::kL2) &&
                        (meaning.stage == Stage::kL1 || meaning.stage == Stage::kL2);
    }
    result_.activity[row] = activity_class(result_.stage[row], context.kind, context.copy_kind);
    set_role(row);
  }

  void host_row(std::size_t row) {
    static const NameMeaning kSilent;
    const Context& context = trace_.context_of(row);
    say(row, context, is_user_range(trace_, row) ? meanings_.of_range(trace_.spans.name[row]) : kSilent);
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
    } else if (meaning.known()) {
      result_.stage[row] = meaning.stage;
      result_.stages[row] = meaning.stages;
      result_.part[row] = meaning.part;
    }
    result_.pass[row] = context.pass != Pass::kUNKNOWN ? context.pass
                        : range.pass != Pass::kUNKNOWN ? range.pass
                                                       : meaning.pass;
  }

  void set_role(std::size_t row) {
    const Context& context = trace_.context_of(row);
    const Stage stage = result_.stage[row];
    result_.role[row] = context.role != Stage::kUNATTRIBUTED            ? context.role
                        : result_.activity[row] == ActivityClass::kNone ? stage
                                                                        : role_in_range(stage, ranges_.at(row).stages);
  }

  const Trace& trace_;
  NameMeanings& meanings_;
  const RangeContexts& ranges_;
  Attribution& result_;
  std::vector<bool> ambiguous_;  // expert GEMMs whose names don't say which of the two they are
};

}  // namespace

Attribution attribute(const Trace& trace, const RuleSet& rules) {
  const std::size_t rows = trace.spans.size();
  Attribution result;
  result.stage.resize(rows, Stage::kUNATTRIBUTED);
  result.role.resize(rows, Stage::kUNATTRIBUTED);
  result.stages.resize(rows);
  result.part.resize(rows, Part::kPAYLOAD);
  result.pass.resize(rows, Pass::kUNKNOWN);
  result.activity.resize(rows, ActivityClass::kNone);
  result.annotation.resize(rows, -1);
  result.launch = launch_rows(trace);

  NameMeanings meanings(trace, rules);
  const RangeContexts ranges = range_contexts(trace, result.launch, meanings);
  Attributor(trace, meanings, ranges, result).run();
  complete_passes(trace, ranges, result);
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
