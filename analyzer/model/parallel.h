#pragma once
// SPDX-License-Identifier: Apache-2.0
// The same work on many things that know nothing of each other (devices, ranks, tracks), on all cores. Results go where
// the thing's index says, so that they don't depend on who was first.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace moescope {

inline constexpr std::size_t kRowsWorthThreads = 200'000;

// Cores that may be used; MOESCOPE_THREADS overrides it. 1 at least.
std::size_t thread_count();

// make() gives each thread its own worker, which is called with indices from 0 to below count, each once, in ascending
// order. The first exception is thrown again here, when all threads have ended. rows: of the trace that all of it is
// about; where they are few, or no thread can be had, the caller does all by itself.
template <class Make>
void each_in_parallel(std::size_t count, std::size_t rows, Make make) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr trouble;
  std::mutex mutex;
  const auto run = [&] {
    try {
      auto worker = make();
      for (std::size_t index = next++; index < count; index = next++) worker(index);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!trouble) trouble = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  if (rows >= kRowsWorthThreads && count > 1) {
    const std::size_t wanted = std::min(thread_count(), count) - 1;
    others.reserve(wanted);
    try {
      while (others.size() < wanted) others.emplace_back(run);
    } catch (const std::system_error&) {  // a limit on threads: fewer do it too
    }
  }
  run();
  for (std::thread& other : others) other.join();
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace moescope
