// SPDX-License-Identifier: Apache-2.0
// What a report costs beside reading its run: a made-up run of eight ranks, steps of layers on a compute and a
// communication stream, half of its spans launches, is written once and then read, attributed, analysed and printed.
// The phases are of one process, in CPU time of all threads; interval metrics are counted by spans of device work, all
// else by all spans. report/read is wall clock, as a user waits for it: `moescope report` against a process that only
// reads. Medians of ROUNDS.
//   bench_report [SPANS [ROUNDS]]
#include <fmt/core.h>
#include <malloc.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  double spans, intervals, metrics_wall;
};

Round measure(const std::string& folder) {
  std::vector<double> at = {now()};
  Trace trace = load_trace({folder}, "auto", {});
  complete_model(trace);
  at.push_back(now());
  const Attribution attribution = attribute(trace);
  at.push_back(now());
  const double begin = now(CLOCK_MONOTONIC);
  const Analysis analysis = analyze(trace, attribution, {});
  const double metrics_wall = now(CLOCK_MONOTONIC) - begin;
  at.push_back(now());
  const ReportInput input{trace, attribution, analysis};
  std::size_t characters = report_text(input, {}).size();
  at.push_back(now());
  characters += report_json(input, "bench").size();
  at.push_back(now());
  if (characters == 1) fmt::print("\n");
  const auto spans = static_cast<double>(trace.spans.size());
  std::size_t intervals = 0;
  for (const DeviceRows& device : analysis.selection.devices) intervals += device.rows.size();
  const auto phase = [&](std::size_t i) { return (at[i + 1] - at[i]) / spans; };
  return {phase(0),
          phase(1),
          phase(2),
          phase(3),
          phase(4),
          spans,
          static_cast<double>(intervals),
          metrics_wall / static_cast<double>(intervals)};
}

// Runs a program to its end; the phases it tells of where it is this one.
double wall_of(const std::vector<std::string>& words, Round* told = nullptr) {
  int pipes[2];
  if (pipe(pipes) != 0) std::abort();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const double begin = now(CLOCK_MONOTONIC);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(pipes[1]);
  std::string said;
  char piece[4096];
  for (ssize_t got = 0; (got = read(pipes[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(got));
  int status = 0;
  waitpid(child, &status, 0);
  const double wall = now(CLOCK_MONOTONIC) - begin;
  close(pipes[0]);
  if (status != 0 || (told != nullptr && said.size() != sizeof *told)) std::abort();
  if (told != nullptr) std::memcpy(told, said.data(), sizeof *told);
  return wall;
}

// What the process that only reads does, or the one whose phases are measured.
int as_child(const std::string& what, const std::string& folder) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // as moescope does
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  if (what == "--read") return load_trace({folder}, "auto", {}).spans.size() == 0;
  const Round round = measure(folder);
  return fwrite(&round, sizeof round, 1, stdout) == 1 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && (argv[1] == std::string("--read") || argv[1] == std::string("--phases")))
    return as_child(argv[1], argv[2]);
  const std::size_t asked = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string folder = std::string(MOESCOPE_BUILD_DIR) + "/bench_report";
  fmt::print("{} threads\n{:<22} {:>11} {:>11} | {:>7} {:>9} {:>7} {:>7} {:>7} | {:>12} {:>12} {:>12}\n",
             thread_count(), "ns a span", "spans", "intervals", "read", "attribute", "metrics", "text", "json",
             "ns/interval", "wall", "report/read");
  for (const bool marks : {true, false}) {
    std::filesystem::remove_all(folder);
    write_run_file(make(asked, marks), folder, "bench");
    std::vector<Round> all;
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
      wall_of({"/proc/self/exe", "--phases", folder}, &all.emplace_back());
      const double read = wall_of({"/proc/self/exe", "--read", folder});
      ratios.push_back(wall_of({MOESCOPE_BUILD_DIR "/bin/moescope", "report", "--quiet", folder}) / read);
    }
    const auto column = [&](double Round::*member) {
      std::vector<double> values;
      for (const Round& round : all) values.push_back(round.*member);
      return middle(std::move(values));
    };
    fmt::print(
        "{:<22} {:>11.0f} {:>11.0f} | {:>7.1f} {:>9.1f} {:>7.1f} {:>7.1f} {:>7.1f} | {:>12.1f} {:>12.1f} {:>12.2f}\n",
        marks ? "marked steps, layers" : "structure to be found", column(&Round::spans), column(&Round::intervals),
        column(&Round::read), column(&Round::attribute), column(&Round::metrics), column(&Round::text),
        column(&Round::json), column(&Round::metrics) * column(&Round::spans) / column(&Round::intervals),
        column(&Round::metrics_wall), middle(ratios));
  }
  std::filesystem::remove_all(folder);
}
