// SPDX-License-Identifier: Apache-2.0
// What one range costs the job's thread, in ns: the median of many short slices, because the machine is shared.
//   bench_collector_events                                     without the collector
//   LD_PRELOAD=.../libmoescope.so bench_collector_events       with it
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "moescope/annotate.h"
#include "tests/collector/preload/nvtx_client.h"

namespace {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
}

template <class Pair>
void show(const char* name, Pair pair) {
  constexpr int kSlices = 401, kPairs = 500;
  std::vector<double> slices;
  for (int s = 0; s < kSlices; ++s) {
    const std::int64_t start = now_ns();
    for (int i = 0; i < kPairs; ++i) pair();
    slices.push_back(static_cast<double>(now_ns() - start) / kPairs);
    if (s % 4 == 0) usleep(2000);  // so that the flush thread keeps up, as it does in a job
  }
  std::sort(slices.begin(), slices.end());
  std::printf("%-34s %6.1f median %6.1f best\n", name, slices[slices.size() / 2], slices.front());
}

}  // namespace

int main() {
  namespace nvtx = moescope::test;
  show("annotated begin and end", [] {
    moescope_begin(MOESCOPE_STAGE_DISPATCH, "dispatch");
    moescope_end(4096, -1.0);
  });
  moescope_span_t span = MOESCOPE_SPAN_INIT;
  span.stage = MOESCOPE_STAGE_L1;
  span.lane = "compute";
  span.end_ns = 100;
  show("explicit span", [&] { moescope_span(&span); });
  show("NVTX push and pop, 29 letters", [] {
    nvtx::push("forward_microbatch_0_layer_12");
    nvtx::pop();
  });
  show("clock_gettime, two of them", [] {
    now_ns();
    now_ns();
  });
}
