// SPDX-License-Identifier: Apache-2.0
// A report is the same with one thread and with several, on a run large enough that several are started.
#include <cstdlib>

#include "analyzer/metric/analysis.h"
#include "analyzer/model/parallel.h"
#include "analyzer/report/report.h"
#include "analyzer/stage/attribution.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

// Ranks of steps of layers on two streams with launches; marks: layers are ranges, steps are in the record.
Trace made(bool marks) {
  constexpr int kRanks = 6, kSteps = 95, kLayers = 12;
  struct Kernel {
    const char* name;
    bool exchange;
    Ns offset, duration;
  };
  constexpr Kernel kKernels[] = {
      {"rms_norm", false, 0, 30},
      {"void flash::flash_fwd_kernel<T>(int)", false, 30, 150},
      {"grouped_topk_kernel", false, 185, 15},
      {"void deep_ep::intranode::notify_dispatch<8>(int const*)", true, 200, 20},
      {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", true, 220, 180},
      {"void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)", false, 300, 200},
      {"_silu_and_mul_post_quant_kernel", false, 500, 40},
      {"void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)", false, 540, 100},
      {"void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(int4*)", true, 600, 190},
      {"a_kernel_nobody_knows", false, 700, 20},
      {"Memcpy HtoD", false, 730, 5},
      {"void reduce_kernel<T>(int)", false, 740, 20},
      {"elementwise_kernel", false, 765, 8},
      {"elementwise_kernel", false, 775, 8},
      {"elementwise_kernel", false, 785, 8},
  };
  TraceBuilder builder;
  SourceFile file;
  file.format = "kineto";
  builder.trace().files.push_back(file);
  Clock shared;
  shared.boot_id = "one";
  const ClockId clock = builder.clock(shared);
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    Track track;
    track.rank = RankId(rank);
    track.clock = clock;
    builder.rank({track.rank, kRanks, rank, 0, "host"});
    const TrackId host = builder.track(track);
    track.kind = TrackKind::kGPU_STREAM;
    track.device = 0;
    const TrackId compute = builder.track(track), exchange = builder.track(track);
    Context runtime, range, kernel;
    runtime.kind = SpanKind::kRUNTIME;
    range.kind = SpanKind::kRANGE;
    kernel.kind = SpanKind::kKERNEL;
    Ns time = 1000 + 13 * rank;
    std::int64_t correlation = 1;
    for (std::int32_t step = 0; step < kSteps; ++step) {
      const Ns begin = time;
      if (marks) kernel.step = StepId(step);
      const auto run = [&](const char* name, TrackId stream, Ns offset, Ns duration) {
        builder.span(time + offset, 5, host, builder.name("cudaLaunchKernel"), builder.context(runtime), correlation);
        builder.span(time + offset + 20 + correlation % 5, duration, stream, builder.name(name),
                     builder.context(kernel), correlation);
        ++correlation;
      };
      run("embedding_kernel", compute, 0, 40);
      time += 100;
      for (std::int32_t layer = 0; layer < kLayers; ++layer, time += 850) {
        if (marks)
          builder.span(time, 800, host, builder.name("layer_" + std::to_string(layer)), builder.context(range));
        for (const Kernel& one : kKernels) run(one.name, one.exchange ? exchange : compute, one.offset, one.duration);
      }
      for (const char* name : {"final_norm", "lm_head", "argmax"}) run(name, compute, 0, 60), time += 100;
      if (marks)
        builder.trace().steps.push_back(
            {track.rank, StepId(step), step, StepKind::kUNKNOWN, clock, Interval{begin, time}, true});
    }
  }
  return builder.finish();
}

std::string report_with(const Trace& trace, const char* threads) {
  setenv("MOESCOPE_THREADS", threads, 1);
  const Attribution attribution = attribute(trace);
  const Analysis analysis = analyze(trace, attribution, {});
  const ReportInput input{trace, attribution, analysis};
  std::string both = report_json(input, "test") + report_text(input, {});
  unsetenv("MOESCOPE_THREADS");
  return both;
}

}  // namespace

TEST_CASE("a report is the same with one thread and with several") {
  for (const bool marks : {true, false}) {
    const Trace trace = made(marks);
    REQUIRE(trace.spans.size() >= kRowsWorthThreads);
    const std::string alone = report_with(trace, "1");
    CHECK(alone.find("\"layers\"") != std::string::npos);
    for (const char* threads : {"2", "5"}) CHECK(report_with(trace, threads) == alone);
  }
}
