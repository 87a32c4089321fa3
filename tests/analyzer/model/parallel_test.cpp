// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/parallel.h"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("every index is worked on once, by as many workers as there are threads, or by the caller alone") {
  setenv("MOESCOPE_THREADS", "4", 1);
  for (const std::size_t rows : {std::size_t{1}, kRowsWorthThreads})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      std::vector<std::atomic<int>> seen(count);
      std::atomic<std::size_t> workers{0};
      each_in_parallel(count, rows, [&] {
        ++workers;
        return [&](std::size_t i) { ++seen[i]; };
      });
      for (const auto& times : seen) CHECK(times == 1);
      CHECK(workers >= 1);
      CHECK(workers <= (rows < kRowsWorthThreads ? 1 : std::max<std::size_t>(1, std::min<std::size_t>(4, count))));
    }
  unsetenv("MOESCOPE_THREADS");
}

TEST_CASE("an exception in a worker comes out of it, and no thread is left behind") {
  setenv("MOESCOPE_THREADS", "3", 1);
  for (int round = 0; round < 20; ++round)
    CHECK_THROWS_AS(each_in_parallel(100, kRowsWorthThreads,
                                     [] {
                                       return [](std::size_t i) {
                                         if (i == 7) throw std::runtime_error("seven");
                                       };
                                     }),
                    std::runtime_error);
  unsetenv("MOESCOPE_THREADS");
  CHECK(thread_count() >= 1);
}
