// SPDX-License-Identifier: Apache-2.0
#include "collector/src/thread_state.h"

#include <pthread.h>
#include <time.h>

#include "collector/src/session.h"

namespace moescope::collector {
namespace {

// Plain data: alive in every thread from its first to its last instruction, TLS destructors included.
struct ThreadSlot {
  ThreadState* state;
  bool inside;
};
// Initial-exec, though the library is dlopened: the usual model allocates a thread's copy at its first use, and a
// signal handler that annotates in that very moment would be given a null one. It takes 16 bytes of the room that glibc
// keeps for this (some 500 to 1,600).
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadSlot slot{nullptr, false};

pthread_key_t exit_key;
bool exit_key_made = false;

// Runs at thread exit. Events that come later still (the application's own TLS destructors) get a new state; should
// that one miss its turn, the flush thread finds the thread gone and frees it.
void thread_exits(void* argument) {
  auto* thread = static_cast<ThreadState*>(argument);
  slot.inside = true;
  slot.state = nullptr;
  thread->write<RecordHead>(RecordType::kThreadExit, true, {}, {}, [](RecordHead& r) { r.time = monotonic_ns(); });
  thread->exited.store(true, std::memory_order_release);
  slot.inside = false;
}

ThreadState* attach() {
  ThreadState* thread = Session::attach_thread();
  if (thread == nullptr) return nullptr;
  if (exit_key_made) pthread_setspecific(exit_key, thread);
  slot.state = thread;
  return thread;
}

}  // namespace

void make_thread_exit_key() {
  if (!exit_key_made) exit_key_made = pthread_key_create(&exit_key, thread_exits) == 0;
}

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
}

Entered::Entered() : thread_(nullptr) {
  ThreadSlot& mine = slot;
  if (mine.inside) return;
  mine.inside = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ThreadState* thread = mine.state;
  if (thread == nullptr) thread = attach();
  if (thread != nullptr && thread->session->accepting()) {
    thread_ = thread;
    return;
  }
  mine.inside = false;
}

Entered::~Entered() {
  if (thread_ == nullptr) return;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slot.inside = false;
}

void ThreadState::written() {
  count(recorded);
  if (ring.backlog() >= 4) session->wake();
}

void ThreadState::write_context() {
  if (!context_changed) return;
  const RankPosition& at = here();
  context_changed = !write<ContextRecord>(RecordType::kContext, true, {}, {}, [&](ContextRecord& r) {
    r.head.time = 0;
    r.rank = at.rank;
    r.step = at.step;
    r.layer = layer;
    r.micro_batch = micro_batch;
    r.pass = pass;
    r.reserved = 0;
  });
}

void forget_thread_after_fork() {
  slot.state = nullptr;
  slot.inside = false;
  if (exit_key_made) pthread_setspecific(exit_key, nullptr);
}

std::string_view text_of(const char* text) {
  if (text == nullptr) return {};
  return {text, strnlen(text, kLongestText)};
}

}  // namespace moescope::collector
