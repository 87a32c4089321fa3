// SPDX-License-Identifier: Apache-2.0
#include "collector/src/session.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

#include "collector/src/flush_thread.h"
#include "collector/src/thread_state.h"

namespace moescope::collector {

void make_thread_exit_key();  // thread_state.cpp

namespace {

enum State : int { kFresh, kRunning, kOver };

constinit std::atomic<Session*> current{nullptr};
constinit std::atomic<int> state{kFresh};
constinit std::atomic<pid_t> owner{0};
constinit std::atomic<std::int64_t> image_start{0};
constinit std::mutex starting;
constinit bool work_held_for_fork = false, hooks_registered = false;
constexpr std::int64_t kFinishPatienceNs = 5000000000;

timespec to_timespec(std::int64_t ns) {
  timespec t{};
  t.tv_sec = static_cast<time_t>(ns / 1000000000);
  t.tv_nsec = static_cast<long>(ns % 1000000000);
  return t;
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, std::int64_t timeout_ns) {
  const timespec timeout = to_timespec(timeout_ns);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
}
void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace

Session::Session(Config config, std::int64_t image_start_ns)
    : config_(std::move(config)), image_start_ns_(image_start_ns) {}

void Session::set_image_start(std::int64_t ns) {
  std::int64_t unset = 0;
  image_start.compare_exchange_strong(unset, ns);
}

Session* Session::start() {
  if (Session* running = current.load(std::memory_order_acquire)) return running;
  if (state.load(std::memory_order_acquire) == kOver) return nullptr;
  try {
    const std::lock_guard lock(starting);
    if (state.load(std::memory_order_acquire) != kFresh) return current.load(std::memory_order_acquire);
    if (!hooks_registered) {
      make_thread_exit_key();
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
      at_quick_exit([] { finish("exit"); });
      hooks_registered = true;
    }
    set_image_start(monotonic_ns());
    // Never freed: threads of the job may be inside it at any time, the last ones after exit().
    auto* session = new Session(read_config(Environment::of_this_process()), image_start.load());
    owner.store(getpid(), std::memory_order_release);
    state.store(kRunning, std::memory_order_release);  // before the thread, which may end it at once
    current.store(session, std::memory_order_release);
    if (!start_flush_thread(session)) session->finished();
    return session;
  } catch (...) {
    state.store(kOver, std::memory_order_release);
    return nullptr;
  }
}

ThreadState* Session::attach_thread() {
  Session* session = start();
  if (session == nullptr || !session->accepting()) return nullptr;
  try {
    auto thread = std::make_unique<ThreadState>(session, &session->pool_);
    thread->os_tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    thread->positions.push_back({session->config_.rank});
    const std::lock_guard lock(session->lock_);
    thread->serial = session->next_serial_++;
    session->threads_.push_back(thread.get());
    return thread.release();
  } catch (...) {
    return nullptr;
  }
}

std::vector<ThreadState*> Session::threads() const {
  const std::lock_guard lock(lock_);
  return threads_;
}

void Session::forget(ThreadState* thread) {
  {
    const std::lock_guard lock(lock_);
    std::erase(threads_, thread);
  }
  delete thread;
}

void Session::say(SaidOnce row) {
  const std::lock_guard lock(lock_);
  const std::size_t rows = weight(row);
  if (said_weight_ + rows > kMostSaid) {
    said_dropped_.fetch_add(rows, std::memory_order_relaxed);
    return;
  }
  said_.push_back(std::move(row));
  said_weight_ += rows;
}

std::vector<SaidOnce> Session::take_said() {
  std::vector<SaidOnce> taken;
  const std::lock_guard lock(lock_);
  taken.swap(said_);
  said_weight_ = 0;
  return taken;
}

void Session::wake() {
  if (wakes_.exchange(1, std::memory_order_acq_rel) == 0) futex_wake(wakes_);
}

bool Session::wait(std::int64_t timeout_ns) {
  if (end_kind() == nullptr && timeout_ns > 0) futex_wait(wakes_, 0, timeout_ns);
  wakes_.store(0, std::memory_order_release);
  return end_kind() != nullptr;
}

void Session::finished() {
  stop_accepting();
  state.store(kOver, std::memory_order_release);
  done_.store(1, std::memory_order_release);
  futex_wake(done_);
}

void Session::finish(const char* end_kind) {
  Session* session = current.load(std::memory_order_acquire);
  if (session == nullptr || owner.load(std::memory_order_acquire) != getpid()) return;
  const char* none = nullptr;
  session->end_kind_.compare_exchange_strong(none, end_kind, std::memory_order_acq_rel);
  session->wakes_.store(1, std::memory_order_release);
  futex_wake(session->wakes_);
  const std::int64_t deadline = monotonic_ns() + kFinishPatienceNs;
  for (std::int64_t left = kFinishPatienceNs; left > 0 && session->done_.load(std::memory_order_acquire) == 0;
       left = deadline - monotonic_ns())
    futex_wait(session->done_, 0, left);
}

// The flush thread must not be inside SQLite or an allocation of ours while the address space is copied: the child
// would inherit the locks and never the thread that opens them. A disk that hangs must not hang the job's fork, so the
// wait is bounded; the child of a fork that did not wait long enough is not recorded.
void Session::before_fork() {
  starting.lock();
  Session* session = current.load(std::memory_order_acquire);
  if (session == nullptr) return;
  work_held_for_fork = session->work_.try_lock();
  for (int i = 0; i < 1500 && !work_held_for_fork; ++i) {
    const timespec pause = to_timespec(200000);
    nanosleep(&pause, nullptr);
    work_held_for_fork = session->work_.try_lock();
  }
  session->lock_.lock();
  session->pool_.lock();
}

void Session::after_fork_in_parent() {
  if (Session* session = current.load(std::memory_order_acquire)) {
    session->pool_.unlock();
    session->lock_.unlock();
    if (work_held_for_fork) session->work_.unlock();
  }
  starting.unlock();
}

void Session::after_fork_in_child() {
  if (Session* session = current.load(std::memory_order_acquire)) {
    session->pool_.unlock();
    session->lock_.unlock();
    if (work_held_for_fork) session->work_.unlock();
    const bool recordable = work_held_for_fork && state.load(std::memory_order_relaxed) == kRunning;
    current.store(nullptr, std::memory_order_release);
    state.store(recordable ? kFresh : kOver, std::memory_order_release);
    image_start.store(monotonic_ns());
  }
  forget_thread_after_fork();
  starting.unlock();
}

}  // namespace moescope::collector
