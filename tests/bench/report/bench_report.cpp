// SPDX-License-Identifier: Apache-2.0
// What a report costs beside reading its run: a made-up run of eight ranks, steps of layers on a compute and a
// communication stream, half of its spans launches, is written once and then read, attributed, analysed and printed.
// Interval metrics are counted by spans of device work, all else by all spans. Each round is a process of its own, as a
// user's is: the second in one process finds memory that the first one had to get. CPU time of all threads; wall clock
// for report/read, which is what a user waits. Medians of ROUNDS.
//   bench_report [SPANS [ROUNDS]]
#include <fmt/core.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/import/importer.h"
#include "analyzer/metric/analysis.h"
#include "analyzer/model/parallel.h"
#include "analyzer/report/report.h"
#include "analyzer/stage/attribution.h"
#include "analyzer/stage/model_from_names.h"
#include "analyzer/store/run_file_export.h"

using namespace moescope;

namespace {

double now(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

struct Kernel {
  const char* name;
  bool communication;
  Ns offset, duration;  // within its layer
};
constexpr Ns kLayer = 800;
constexpr Kernel kKernels[] = {
    {"rms_norm", false, 0, 30},
    {"void flash::flash_fwd_kernel<T>(int)", false, 30, 150},
    {"grouped_topk_kernel", false, 185, 15},
    {"void deep_ep::intranode::notify_dispatch<8>(int const*)", true, 200, 20},
    {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", true, 220, 180},
    {"void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)", false, 300, 200},
    {"_silu_and_mul_post_quant_kernel", false, 500, 40},
    {"void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)", false, 540, 100},
    {"void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(int4*)", true, 600, 170},
};

// marks: each step is in the record and each layer's communication is launched in a range of its own.
Trace make(std::size_t spans, bool marks) {
  TraceBuilder builder;
  SourceFile file;
  file.format = "moescope";
  file.run_id = "bench";
  builder.trace().files.push_back(file);
  Clock monotonic;
  monotonic.boot_id = "bench";
  const ClockId clock = builder.clock(monotonic);
  constexpr std::size_t kRanks = 8, kLayers = 58;
  const std::size_t of_rank = spans / kRanks;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    Track track;
    track.rank = RankId(static_cast<std::int32_t>(rank));
    track.clock = clock;
    builder.rank({track.rank, kRanks, static_cast<std::int32_t>(rank), 0, "host"});
    const TrackId host = builder.track(track);
    track.kind = TrackKind::kGPU_STREAM;
    track.device = 0;
    track.stream = 7;
    const TrackId compute = builder.track(track);
    track.stream = 20;
    const TrackId exchange = builder.track(track);
    Context context;
    context.kind = SpanKind::kRUNTIME;
    const ContextId runtime = builder.context(context);
    context.kind = SpanKind::kRANGE;
    const ContextId range = builder.context(context);
    const NameId launch = builder.name("cudaLaunchKernel");
    Ns time = 1000 + static_cast<Ns>(rank) * 7;
    std::int64_t correlation = 1;
    std::size_t written = 0;
    for (std::int32_t step = 0; written < of_rank; ++step) {
      context = {};
      context.kind = SpanKind::kKERNEL;
      const Ns begin = time;
      const auto run = [&](const char* name, Ns duration) {  // outside the layers
        builder.span(time, 5, host, launch, runtime, correlation);
        builder.span(time + 20, duration, compute, builder.name(name), builder.context(context), correlation);
        ++correlation;
        written += 2;
        time += duration + 25;
      };
      if (marks) context.step = StepId(step);
      run("embedding_kernel", 40);
      for (std::size_t layer = 0; layer < kLayers; ++layer, time += kLayer) {
        if (marks) {
          context.step = StepId(step);
          context.layer = LayerId(static_cast<std::int32_t>(layer));
        }
        const ContextId kernel = builder.context(context);
        if (marks) {
          builder.span(time, kLayer - 100, host, builder.name("layer_" + std::to_string(layer)), range);
          ++written;
        }
        for (const Kernel& one : kKernels) {
          builder.span(time + one.offset, 5, host, launch, runtime, correlation);
          builder.span(time + one.offset + 20 + (correlation * 7) % 5, one.duration,
                       one.communication ? exchange : compute, builder.name(one.name), kernel, correlation);
          ++correlation;
          written += 2;
        }
      }
      context.layer = LayerId();
      for (const char* name : {"final_norm", "lm_head", "softmax", "argmax"}) run(name, 60);
      if (marks)
        builder.trace().steps.push_back(
            {track.rank, StepId(step), step, StepKind::kTRAIN, clock, Interval{begin, time}, true});
    }
  }
  return builder.finish();
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Round {
  double read, attribute, metrics, text, json;  // ns of CPU a span
  double ratio, spans, intervals;
};

Round measure(const std::string& folder) {
  std::vector<double> at = {now()};
  const double begin = now(CLOCK_MONOTONIC);
  Trace trace = load_trace({folder}, "auto", {});
  complete_model(trace);
  at.push_back(now());
  const double have_read = now(CLOCK_MONOTONIC);
  const Attribution attribution = attribute(trace);
  at.push_back(now());
  const Analysis analysis = analyze(trace, attribution, {});
  at.push_back(now());
  const ReportInput input{trace, attribution, analysis};
  std::size_t characters = report_text(input, {}).size();
  at.push_back(now());
  const double ratio = (now(CLOCK_MONOTONIC) - begin) / (have_read - begin);
  characters += report_json(input, "bench").size();
  at.push_back(now());
  if (characters == 1) fmt::print("\n");
  const auto spans = static_cast<double>(trace.spans.size());
  std::size_t intervals = 0;
  for (const DeviceRows& device : analysis.selection.devices) intervals += device.rows.size();
  const auto phase = [&](std::size_t i) { return (at[i + 1] - at[i]) / spans; };
  return {phase(0), phase(1), phase(2), phase(3), phase(4), ratio, spans, static_cast<double>(intervals)};
}

// In a child, before any thread was started here.
Round in_a_process(const std::string& folder) {
  int pipes[2];
  if (pipe(pipes) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const Round round = measure(folder);
    _exit(write(pipes[1], &round, sizeof round) == static_cast<ssize_t>(sizeof round) ? 0 : 1);
  }
  Round round{};
  if (child < 0 || read(pipes[0], &round, sizeof round) != static_cast<ssize_t>(sizeof round)) std::abort();
  waitpid(child, nullptr, 0);
  close(pipes[0]);
  close(pipes[1]);
  return round;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t asked = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string folder = std::string(MOESCOPE_BUILD_DIR) + "/bench_report";
  fmt::print("{} threads\n{:<22} {:>11} {:>11} | {:>7} {:>9} {:>7} {:>7} {:>7} | {:>12} {:>12}\n", thread_count(),
             "ns a span", "spans", "intervals", "read", "attribute", "metrics", "text", "json", "ns/interval",
             "report/read");
  for (const bool marks : {true, false}) {
    std::filesystem::remove_all(folder);
    write_run_file(make(asked, marks), folder, "bench");
    std::vector<Round> all;
    for (int round = 0; round < rounds; ++round) all.push_back(in_a_process(folder));
    const auto column = [&](double Round::*member) {
      std::vector<double> values;
      for (const Round& round : all) values.push_back(round.*member);
      return middle(std::move(values));
    };
    fmt::print("{:<22} {:>11.0f} {:>11.0f} | {:>7.1f} {:>9.1f} {:>7.1f} {:>7.1f} {:>7.1f} | {:>12.1f} {:>12.2f}\n",
               marks ? "marked steps, layers" : "structure to be found", column(&Round::spans),
               column(&Round::intervals), column(&Round::read), column(&Round::attribute), column(&Round::metrics),
               column(&Round::text), column(&Round::json),
               column(&Round::metrics) * column(&Round::spans) / column(&Round::intervals), column(&Round::ratio));
  }
  std::filesystem::remove_all(folder);
}
