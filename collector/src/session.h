#pragma once
// SPDX-License-Identifier: Apache-2.0
// The recording of one process image: from its first event to its end, one run file. Holds what the job's threads and
// the flush thread share. A forked child begins a session of its own at its first event.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "collector/src/config.h"
#include "collector/src/said_once.h"
#include "collector/src/spsc_ring.h"
#include "collector/src/step_ordinals.h"

namespace moescope::collector {

struct ThreadState;

class Session {
 public:
  // This process's session, started where there is none yet; nullptr where recording is over, or could not start.
  static Session* start();
  // The calling thread's new state, registered. nullptr as above.
  static ThreadState* attach_thread();
  // Ends the recording and waits for the file to be whole, a few seconds at most. Safe in a signal handler: it
  // allocates nothing and takes no lock, the flush thread does the work. Does nothing in a process that isn't the
  // session's own.
  static void finish(const char* end_kind);
  // When this program image was loaded, CLOCK_MONOTONIC ns; set once by the door.
  static void set_image_start(std::int64_t ns);

  bool accepting() const { return accepting_.load(std::memory_order_relaxed); }
  void wake();             // any thread
  void say(SaidOnce row);  // any thread; a short lock
  const Config& config() const { return config_; }

  // Steps are numbered under the session's lock.
  template <class Use>
  auto with_steps(Use use) {
    const std::lock_guard lock(lock_);
    return use(steps_);
  }

  // --- for the flush thread alone
  std::vector<ThreadState*> threads() const;
  void forget(ThreadState* thread);  // drained and gone
  std::vector<SaidOnce> take_said();
  std::uint64_t said_dropped() const { return said_dropped_.load(std::memory_order_relaxed); }
  // Waits until woken, asked to finish, or the time is over. True: finish.
  bool wait(std::int64_t timeout_ns);
  const char* end_kind() const { return end_kind_.load(std::memory_order_acquire); }
  void stop_accepting() { accepting_.store(false, std::memory_order_relaxed); }
  void finished();
  std::mutex& work() { return work_; }  // held while the flush thread works: fork() waits for it
  ChunkPool& pool() { return pool_; }
  std::int64_t image_start_ns() const { return image_start_ns_; }

 private:
  explicit Session(Config config, std::int64_t image_start_ns);
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  static constexpr std::size_t kMostChunks = 1024;       // 64 MiB waiting to be read
  static constexpr std::size_t kMostSaid = 1024 * 1024;  // figures waiting to be read

  const Config config_;
  const std::int64_t image_start_ns_;
  ChunkPool pool_{kMostChunks};
  mutable std::mutex lock_;  // threads_, said_, steps_; never held across I/O
  std::mutex work_;
  std::vector<ThreadState*> threads_;
  std::vector<SaidOnce> said_;
  std::size_t said_weight_ = 0;
  StepOrdinals steps_;
  std::uint32_t next_serial_ = 0;
  std::atomic<std::uint64_t> said_dropped_{0};
  std::atomic<bool> accepting_{true};
  std::atomic<const char*> end_kind_{nullptr};
  std::atomic<std::uint32_t> wakes_{0}, done_{0};  // futexes
};

}  // namespace moescope::collector
