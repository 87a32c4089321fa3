// SPDX-License-Identifier: Apache-2.0
#include <map>

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
  std::int32_t last_context = -1, last_says = -1, last = -1;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    if (trace.spans.context[row] != last_context || ranges.of[row] != last_says) {
      last_context = trace.spans.context[row];
      last_says = ranges.of[row];
      const Context& context = trace.context_of(row);
      Place place{context.step, context.layer, context.micro_batch, context.wave};
      if (!place.layer.valid()) place.layer = ranges.at(row).layer;
      if (!place.micro_batch.valid()) place.micro_batch = ranges.at(row).micro_batch;
      last = places.number(place);
    }
    structure.place[row] = last;
  }
}

Answer<double> attributed_fraction(const Trace& trace, const Attribution& attribution) {
  struct Device {
    std::vector<Interval> all, known;
  };
  std::map<std::tuple<RankId, std::int32_t, ClockId>, Device> devices;
  for (const Track& track : trace.tracks) {
    if (!track.is_execution()) continue;
    Device& device = devices[{track.rank, track.device, track.clock}];
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (attribution.activity[row] == ActivityClass::kNone) continue;
      device.all.push_back(trace.spans.interval(row));
      if (attribution.stage[row] != Stage::kUNATTRIBUTED) device.known.push_back(trace.spans.interval(row));
    }
  }
  Ns all = 0, known = 0;
  for (auto& [key, device] : devices) {
    all += IntervalSet::from(std::move(device.all)).measure();
    known += IntervalSet::from(std::move(device.known)).measure();
  }
  if (all == 0) return Abstained{"no GPU or execution records"};
  return static_cast<double>(known) / static_cast<double>(all);
}

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
  std::vector<bool> ambiguous_gemm(rows, false);
  for (std::size_t row = 0; row < rows; ++row) {
    const Context& context = trace.context_of(row);
    const bool on_device = trace.track_of(row).is_execution();
    const RangeSays& range = ranges.at(row);
    result.annotation[row] = range.name;

    NameMeaning meaning;
    if (on_device && context.kind != SpanKind::kRANGE)
      meaning = meanings.of_device_work(trace.spans.name[row], context.kind);
    else if (is_user_range(trace, row))
      meaning = meanings.of_range(trace.spans.name[row]);

    if (context.stage != Stage::kUNATTRIBUTED) {  // the record says it itself
      result.stage[row] = context.stage;
      result.stages[row] = meaning.stages.contains(context.stage) ? meaning.stages : StageSet(context.stage);
      // A collective's arguments name the operation, not its part; annotations name both.
      const bool part_by_name = context.source == Source::kKINETO && meaning.known();
      result.part[row] = part_by_name ? meaning.part : context.part;
    } else if (meaning.known()) {
      result.stage[row] = meaning.stage;
      result.stages[row] = meaning.stages;
      result.part[row] = meaning.part;
      ambiguous_gemm[row] = meaning.candidates.contains(Stage::kL1) && meaning.candidates.contains(Stage::kL2) &&
                            (meaning.stage == Stage::kL1 || meaning.stage == Stage::kL2);
    }
    result.pass[row] = context.pass != Pass::kUNKNOWN ? context.pass
                       : range.pass != Pass::kUNKNOWN ? range.pass
                                                      : meaning.pass;
    if (on_device) result.activity[row] = activity_class(result.stage[row], context.kind, context.copy_kind);
  }
  order_expert_gemms(trace, ambiguous_gemm, result);
  for (std::size_t row = 0; row < rows; ++row) {
    const Context& context = trace.context_of(row);
    result.role[row] = context.role != Stage::kUNATTRIBUTED ? context.role
                       : result.activity[row] == ActivityClass::kNone
                           ? result.stage[row]
                           : role_in_range(result.stage[row], ranges.at(row).stages);
  }
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
