#pragma once
// SPDX-License-Identifier: Apache-2.0
// Traces made by hand: spans that say themselves what they are, so that no attribution rule takes part in a test.

#include <string>

#include "analyzer/model/trace.h"
#include "analyzer/stage/attribution.h"

namespace moescope::test {

struct WorkTraits {
  Pass pass = Pass::kFORWARD;
  int step = -1, layer = -1, micro_batch = -1, wave = -1;
  Part part = Part::kPAYLOAD;
  std::int64_t bytes = -1;
  double flops = -1;
  SpanKind kind = SpanKind::kWORK;
  CopyKind copy = CopyKind::kNONE;
  Stage role = Stage::kUNATTRIBUTED;
};

class HandTrace {
 public:
  explicit HandTrace(ClockKind kind = ClockKind::kMONOTONIC) {
    clock_ = builder_.clock({kind, "clock", "boot"});
    SourceFile file;
    file.path = "hand.moe.db";
    file.format = "moescope";
    builder_.trace().files.push_back(file);
  }
  TrackId lane(int rank, int device = 0) { return lane(rank, device, clock_); }
  TrackId lane(int rank, int device, ClockId clock) {
    Track track;
    track.rank = RankId(rank);
    track.device = device;
    track.kind = TrackKind::kEXECUTION;
    track.clock = clock;
    if (device == 0) builder_.rank({RankId(rank), -1, -1, -1, ""});
    return builder_.track(track);
  }
  void work(TrackId lane, Stage stage, Ns begin, Ns end, const WorkTraits& traits = {}) {
    Context context;
    context.kind = traits.kind;
    context.copy_kind = traits.copy;
    context.stage = stage;
    context.role = traits.role;
    context.part = traits.part;
    context.pass = traits.pass;
    context.step = StepId(traits.step);
    context.layer = LayerId(traits.layer);
    context.micro_batch = MicroBatchId(traits.micro_batch);
    context.wave = WaveId(traits.wave);
    builder_.span(begin, end - begin, lane, builder_.name(std::string(name(stage))), builder_.context(context), 0,
                  traits.bytes, traits.flops);
  }
  void step(int rank, int ordinal, Ns begin, Ns end, bool ended = true, std::int64_t number = -1) {
    Step step;
    step.rank = RankId(rank);
    step.step = StepId(ordinal);
    step.number = number >= 0 ? number : ordinal;
    step.kind = StepKind::kTRAIN;
    step.clock = clock_;
    step.window = {begin, end};
    step.ended = ended;
    builder_.trace().steps.push_back(step);
  }
  void load(int step, int layer, int rank, int expert, std::int64_t assigned, std::int64_t kept) {
    builder_.trace().router_loads.push_back({StepId(step), LayerId(layer), MicroBatchId(), RankId(rank),
                                             ExpertId(expert), Side::kRECEIVED, assigned, kept});
  }
  TraceBuilder& builder() { return builder_; }
  Trace& raw() { return builder_.trace(); }
  Trace finish() { return builder_.finish(); }

 private:
  TraceBuilder builder_;
  ClockId clock_;
};

// What the contexts say, and nothing else.
inline Attribution as_said(const Trace& trace) {
  Attribution attribution;
  attribution.structure = marked_structure(trace);
  attribution.launch = launch_rows(trace);
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Context& context = trace.context_of(row);
    attribution.stage.push_back(context.stage);
    attribution.stages.push_back(context.stage);
    attribution.role.push_back(context.role == Stage::kUNATTRIBUTED ? context.stage : context.role);
    attribution.part.push_back(context.part);
    attribution.pass.push_back(context.pass);
    attribution.activity.push_back(trace.track_of(row).is_execution()
                                       ? activity_class(context.stage, context.kind, context.copy_kind)
                                       : ActivityClass::kNone);
    attribution.annotation.push_back(-1);
  }
  attribution.attributed_fraction = 1.0;
  return attribution;
}

}  // namespace moescope::test
