// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/sample_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace moescope::gui::test {
namespace {

constexpr Ns kStageNs[] = {320'000, 480'000, 80'000, 260'000, 400'000};
constexpr Stage kStages[] = {Stage::kDISPATCH, Stage::kL1, Stage::kACT, Stage::kL2, Stage::kCOMBINE};

// Two engines, each does one thing at a time, lowest wave first among what is ready.
class Engines {
 public:
  Engines(TraceBuilder& builder, TrackId link, TrackId compute, const Context& layer, double factor)
      : builder_(builder), link_(link), compute_(compute), context_(layer), factor_(factor) {}

  Ns naive(Ns start) {
    for (std::size_t stage = 0; stage < 5; ++stage) start = put(stage, -1, start, 1);
    return start;
  }
  Ns waves(Ns start, int count) {
    std::vector<Ns> arrived, computed;
    Ns link = start, compute = start;
    for (int wave = 0; wave < count; ++wave) arrived.push_back(link = put(0, wave, link, count));
    for (int wave = 0; wave < count; ++wave) {
      compute = std::max(compute, arrived[static_cast<std::size_t>(wave)]);
      for (std::size_t stage = 1; stage < 4; ++stage) compute = put(stage, wave, compute, count);
      computed.push_back(compute);
    }
    for (int wave = 0; wave < count; ++wave)
      link = put(4, wave, std::max(link, computed[static_cast<std::size_t>(wave)]), count);
    return std::max(link, compute);
  }

 private:
  Ns put(std::size_t stage, int wave, Ns begin, int parts) {
    const bool communication = stage == 0 || stage == 4;
    const auto duration =
        static_cast<Ns>(static_cast<double>(kStageNs[stage]) * (communication ? 1.0 : factor_) / parts);
    Context context = context_;
    context.kind = SpanKind::kWORK;
    context.stage = context.role = kStages[stage];
    context.wave = WaveId(wave);
    const std::int64_t bytes = communication ? duration * 40 : -1;
    const double flops = stage == 1 || stage == 3 ? static_cast<double>(duration) * 310e3 : -1;
    builder_.span(begin, duration, communication ? link_ : compute_, builder_.name(name(kStages[stage])),
                  builder_.context(context), 0, bytes, flops);
    return begin + duration;
  }
  TraceBuilder& builder_;
  TrackId link_, compute_;
  Context context_;
  double factor_;
};

}  // namespace

Attribution attribution_as_recorded(const Trace& trace) {
  Attribution attribution;
  attribution.structure = marked_structure(trace);
  attribution.launch = launch_rows(trace);
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Context& context = trace.context_of(row);
    attribution.stage.push_back(context.stage);
    attribution.stages.push_back(context.stage == Stage::kUNATTRIBUTED ? StageSet() : StageSet(context.stage));
    attribution.role.push_back(context.role == Stage::kUNATTRIBUTED ? context.stage : context.role);
    attribution.part.push_back(context.part);
    attribution.pass.push_back(context.pass);
    attribution.activity.push_back(trace.track_of(row).is_execution()
                                       ? activity_class(context.stage, context.kind, context.copy_kind)
                                       : ActivityClass::kNone);
    attribution.annotation.push_back(-1);
  }
  return attribution;
}

Trace sample_trace(const SampleShape& shape) {
  TraceBuilder builder;
  SourceFile file;
  file.path = shape.waves > 0 ? "wave" : "naive";
  file.format = "moescope";
  file.executable = "/usr/bin/moescope-refmoe";
  file.cut_short = shape.cut_short;
  builder.trace().files.push_back(file);
  const ClockKind kind = shape.virtual_clock ? ClockKind::kVIRTUAL : ClockKind::kMONOTONIC;
  const ClockId clock = builder.clock({kind, std::string(name(kind)), "boot"});
  for (int rank = 0; rank < shape.ranks; ++rank) {
    builder.rank({RankId(rank), shape.ranks, rank, 0, "host"});
    Track track;
    track.rank = RankId(rank);
    track.device = 0;
    track.kind = TrackKind::kEXECUTION;
    track.clock = clock;
    track.name = "link";
    const TrackId link = builder.track(track);
    track.name = "compute";
    const TrackId compute = builder.track(track);
    Ns now = 1'000'000'000'000;
    for (int step = 0; step < shape.steps; ++step) {
      const Ns begin = now;
      for (int layer = 0; layer < shape.layers; ++layer) {
        Context context;
        context.pass = Pass::kFORWARD;
        context.step = StepId(step);
        context.layer = LayerId(layer);
        const double factor = 0.92 + 0.05 * rank + 0.02 * ((step + 2 * rank + layer) % 4);
        Engines engines(builder, link, compute, context, factor);
        now = shape.waves > 0 ? engines.waves(now, shape.waves) : engines.naive(now);
      }
      now = begin + std::max<Ns>(now - begin, shape.layers * (shape.waves > 0 ? 1'320'000 : 1'690'000));
      builder.trace().steps.push_back({RankId(rank), StepId(step), step, StepKind::kTRAIN, clock, {begin, now}, true});
    }
  }
  return builder.finish();
}

Sample sample_from(Trace trace, const GanttOptions& options) {
  Sample sample;
  sample.trace = std::move(trace);
  sample.attribution = attribution_as_recorded(sample.trace);
  Scope scope;
  scope.ranks = options.ranks;
  sample.analysis = analyze(sample.trace, sample.attribution, scope);
  sample.gantt = build_gantt(sample.trace, sample.attribution, sample.analysis, options);
  return sample;
}

Sample sample_run(const SampleShape& shape, const GanttOptions& options) {
  return sample_from(sample_trace(shape), options);
}

Sample sample_of(const std::vector<SampleSpan>& spans) {
  TraceBuilder builder;
  const ClockId clock = builder.clock({ClockKind::kMONOTONIC, "monotonic", "boot"});
  builder.rank({RankId(0), 1, 0, 0, "host"});
  Track track;
  track.rank = RankId(0);
  track.device = 0;
  track.kind = TrackKind::kEXECUTION;
  track.clock = clock;
  const TrackId lane = builder.track(track);
  for (const SampleSpan& span : spans) {
    Context context;
    context.kind = SpanKind::kWORK;
    context.stage = context.role = span.stage;
    context.wave = WaveId(span.wave);
    builder.span(span.begin, span.end - span.begin, lane, builder.name(name(span.stage)), builder.context(context));
  }
  return sample_from(builder.finish());
}

}  // namespace moescope::gui::test
