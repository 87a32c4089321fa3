// SPDX-License-Identifier: Apache-2.0
// What LD_PRELOAD costs a process that records nothing: start and end of /bin/true, in us, with and without in turn;
// the 10th percentile, because the machine is shared: bench_collector_exec [PAIRS]
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double run_us(char* const* environment) {
  timespec start{}, end{};
  char program[] = "/bin/true";
  char* argv[] = {program, nullptr};
  clock_gettime(CLOCK_MONOTONIC, &start);
  pid_t child = 0;
  if (posix_spawn(&child, program, nullptr, nullptr, argv, environment) != 0) std::abort();
  waitpid(child, nullptr, 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return static_cast<double>(end.tv_sec - start.tv_sec) * 1e6 + static_cast<double>(end.tv_nsec - start.tv_nsec) * 1e-3;
}

double low(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 10];
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 1000;
  char preload[] = "LD_PRELOAD=" MOESCOPE_BUILD_DIR "/lib/libmoescope.so";
  // As `moescope record` leaves it: every variable is set already.
  char nvtx[] = "NVTX_INJECTION64_PATH=" MOESCOPE_BUILD_DIR "/lib/libmoescope.so";
  char cuda[] = "CUDA_INJECTION64_PATH=" MOESCOPE_BUILD_DIR "/lib/libmoescope.so";
  char out[] = "MOESCOPE_OUT=/tmp/moescope-bench-nothing";
  char* with[] = {preload, nvtx, cuda, out, nullptr};
  char* without[] = {nvtx, cuda, out, nullptr};
  std::vector<double> plain, preloaded;
  for (int i = 0; i < pairs; ++i) {
    plain.push_back(run_us(without));
    preloaded.push_back(run_us(with));
  }
  std::printf("/bin/true %.0f us, preloaded %.0f us: +%.0f us\n", low(plain), low(preloaded),
              low(preloaded) - low(plain));
}
