// SPDX-License-Identifier: Apache-2.0
// How long a frame of the Gantt takes: 48 lanes, 1920 x 1080, one thread, CPU time of a complete repaint, at several
// zooms while the view moves. Prints a table; judges nothing.
#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

#include "gui/core/row_raster.h"
#include "gui/timeline/gantt_canvas.h"

namespace {

using namespace moescope;
using namespace moescope::gui;

constexpr int kRanks = 8, kFrames = 60;
constexpr Stage kStages[] = {Stage::kDISPATCH, Stage::kL1, Stage::kACT, Stage::kL2, Stage::kCOMBINE, Stage::kATTENTION};
constexpr std::size_t kLanes = kRanks * std::size(kStages);

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Times {
  std::vector<double> ms;
  double at(double quantile) {
    std::sort(ms.begin(), ms.end());
    return ms[static_cast<std::size_t>(quantile * static_cast<double>(ms.size() - 1))];
  }
};
Times measured(int count, const std::function<void(int)>& work) {
  Times times;
  for (int i = 0; i < count; ++i) {
    const double before = cpu_ms();
    work(i);
    times.ms.push_back(cpu_ms() - before);
  }
  return times;
}

Trace made(std::size_t spans) {
  TraceBuilder builder;
  builder.trace().spans.reserve(spans);
  const ClockId clock = builder.clock({});
  const NameId name = builder.name("work");
  std::mt19937 random(1);
  for (int rank = 0; rank < kRanks; ++rank)
    for (const Stage stage : kStages) {
      Track track;
      track.rank = RankId(rank);
      track.device = 0;
      track.kind = TrackKind::kEXECUTION;
      track.clock = clock;
      const TrackId lane = builder.track(track);
      std::vector<ContextId> waves;
      for (int wave = 0; wave < 4; ++wave) {
        Context context;
        context.kind = SpanKind::kWORK;
        context.stage = context.role = stage;
        context.wave = WaveId(wave);
        waves.push_back(builder.context(context));
      }
      Ns now = 0;
      for (std::size_t i = 0; i < spans / kLanes; ++i) {
        now += static_cast<Ns>(random() % 8'000);
        const Ns duration = 500 + static_cast<Ns>(random() % 12'000);
        builder.span(now, duration, lane, name, waves[i % 4]);
        now += duration;
      }
    }
  return builder.finish();
}

Attribution as_recorded(const Trace& trace) {
  Attribution attribution;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Context& context = trace.context_of(row);
    attribution.stage.push_back(context.stage);
    attribution.stages.push_back(context.stage == Stage::kUNATTRIBUTED ? StageSet() : StageSet(context.stage));
    attribution.role.push_back(context.role);
    attribution.part.push_back(context.part);
    attribution.pass.push_back(context.pass);
    attribution.annotation.push_back(-1);
    attribution.activity.push_back(activity_class(context.stage, context.kind, context.copy_kind));
  }
  return attribution;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("QT_QPA_PLATFORM", "offscreen", 0);
  const std::size_t spans = argc > 1 ? static_cast<std::size_t>(std::atof(argv[1])) : 1'000'000;
  int qt_argc = 1;
  const QApplication application(qt_argc, argv);

  Trace trace = made(spans);
  Attribution attribution = as_recorded(trace);
  double before = cpu_ms();
  const Analysis analysis = analyze(trace, attribution, {});
  const double analysed = cpu_ms() - before;
  before = cpu_ms();
  { const Gantt lanes = build_gantt(trace, attribution, analysis, {}); }
  const double built = cpu_ms() - before;
  const RunPtr run = make_run({"bench"}, std::move(trace), std::move(attribution), {});
  std::printf("%zu spans, %zu lanes: figures %.0f ms, lanes and pyramids %.0f ms\n", run->trace.spans.size(),
              run->gantt.lanes.size(), analysed, built);

  GanttCanvas canvas;
  canvas.resize(1920, 1080);
  canvas.show();
  QApplication::processEvents();  // until the window is exposed, repaint() does nothing
  canvas.setRun(run);
  canvas.changeBarHeight(-9);
  std::printf("%8s %12s %12s %14s %14s\n", "zoom", "median ms", "p95 ms", "prepare ms", "hit test us");
  for (const double zoom : {1.0, 10.0, 100.0, 1e3, 1e4}) {
    const double length = static_cast<double>(run->gantt.length), visible = length / zoom;
    const auto look = [&](int i) {
      const double begin = (length - visible) * (0.3 + 0.005 * i);
      canvas.showRange({begin, begin + visible});
    };
    Times frame = measured(kFrames, [&](int i) {
      look(i);
      canvas.repaint();
    });
    std::size_t items = 0;
    Times prepare = measured(kFrames, [&](int) {
      for (const Lane& lane : run->gantt.lanes) items += prepare_lane(lane, canvas.axis()).folds.size();
    });
    Times hit = measured(kFrames, [&](int i) {
      for (int k = 0; k < 100; ++k)
        items += hit_test(run->gantt, canvas.frame().layout, canvas.axis(), 30.0 * (i + 1) / 2, 8.0 * k).has_value();
    });
    std::printf("%8.0f %12.2f %12.2f %14.2f %14.3f\n", zoom, frame.at(0.5), frame.at(0.95), prepare.at(0.5),
                10 * hit.at(0.5));
    if (items == 0) std::printf("nothing was drawn\n");
  }
  return 0;
}
