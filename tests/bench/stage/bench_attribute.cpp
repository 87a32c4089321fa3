// SPDX-License-Identifier: Apache-2.0
// What attribution costs a span, steps and layers included, on one core: made-up ranks of decode steps with launches
// and ranges. Beside it one pass over the columns that it reads, in the same run.
//   bench_attribute [SPANS]
#include <fmt/core.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdlib>
#include <string>

#include "analyzer/stage/attribution.h"

using namespace moescope;

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// Half of the spans are launches. marks: each layer is a range of its own.
Trace make(std::size_t spans, bool marks) {
  constexpr const char* kLayer[] = {"rms_norm",
                                    "void flash::flash_fwd_kernel<T>(int)",
                                    "grouped_topk_kernel",
                                    "void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*)",
                                    "void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)",
                                    "_silu_and_mul_post_quant_kernel",
                                    "void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)",
                                    "void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*)"};
  TraceBuilder builder;
  const ClockId clock = builder.clock({});
  const std::size_t layers = 58, ranks = 8;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Track track;
    track.rank = RankId(static_cast<std::int32_t>(rank));
    track.clock = clock;
    const TrackId host = builder.track(track);
    track.kind = TrackKind::kGPU_STREAM;
    track.device = 0;
    const TrackId stream = builder.track(track);
    Context context;
    context.kind = SpanKind::kRUNTIME;
    const ContextId runtime = builder.context(context);
    context.kind = SpanKind::kKERNEL;
    const ContextId kernel = builder.context(context);
    context.kind = SpanKind::kRANGE;
    const ContextId range = builder.context(context);
    const NameId launch = builder.name("cudaLaunchKernel");
    Ns time = 0;
    std::int64_t correlation = 1;
    const auto run = [&](const char* name) {
      builder.span(time, 2, host, launch, runtime, correlation);
      builder.span(time + 50, 9, stream, builder.name(name), kernel, correlation++);
      time += 10;
    };
    while (static_cast<std::size_t>(correlation) * 2 < spans / ranks) {
      run("embedding_kernel");
      for (std::size_t layer = 0; layer < layers; ++layer) {
        if (marks) builder.span(time, 80, host, builder.name("layer_" + std::to_string(layer)), range);
        for (const char* name : kLayer) run(name);
      }
      for (const char* name : {"final_norm", "lm_head", "softmax", "argmax", "copy_token"}) run(name);
    }
  }
  return builder.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t spans = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  fmt::print("{:<28} {:>12} {:>10} {:>12} {:>10}\n", "", "spans", "ns/span", "one pass", "bytes/span");
  for (const bool marks : {true, false}) {
    const Trace trace = make(spans, marks);
    const auto count = static_cast<double>(trace.spans.size());
    double start = now();
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < trace.spans.size(); ++row)
      sum += trace.spans.start[row] + trace.spans.duration[row] + trace.spans.name[row] + trace.spans.context[row] +
             trace.spans.correlation[row];
    const double pass = now() - start;
    const double before = peak_bytes();
    start = now();
    const Attribution attribution = attribute(trace);
    const double took = now() - start;
    if (sum == 1) fmt::print("\n");
    fmt::print("{:<28} {:>12} {:>10.1f} {:>12.2f} {:>10.0f}\n",
               marks ? "layers marked by ranges" : "layers to be found", trace.spans.size(), took / count, pass / count,
               (peak_bytes() - before) / count);
    fmt::print("  {} steps, layers {}\n", attribution.structure.steps.size(),
               name(attribution.structure.layer_fact.origin));
  }
}
