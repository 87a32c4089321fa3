#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the collector keeps for one thread of the job: its ring, and where it stands (rank, step, layer, ...). Only that
// thread writes; the flush thread reads the ring and frees the whole when the thread is gone.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "collector/src/event_record.h"
#include "collector/src/spsc_ring.h"

namespace moescope::collector {

class Session;

std::int64_t monotonic_ns();

struct ThreadState {
  ThreadState(Session* of, ChunkPool* pool) : session(of), ring(pool) {}

  Session* const session;
  SpscRing ring;
  std::uint32_t os_tid = 0, serial = 0;

  // Where the thread stands; a ContextRecord goes out before the next span that needs it.
  struct RankPosition {
    std::int32_t rank, step = -1, last_step = -1;  // ordinals; step -1: in none
    std::int64_t number = 0;
  };
  std::vector<RankPosition> positions;  // a few at most
  std::size_t position = 0;             // of the current rank
  std::int32_t layer = -1, micro_batch = -1, pass = 0;
  bool context_changed = true;
  std::uint32_t depth = 0;                 // open annotated ranges
  std::vector<std::uint32_t> nvtx_depths;  // open NVTX ranges by domain id
  std::uint64_t nvtx_ranges = 0;           // start/end ranges started

  // Read by the flush thread.
  std::atomic<bool> exited{false};
  std::atomic<std::uint64_t> recorded{0}, dropped{0}, unbalanced{0};

  RankPosition& here() { return positions[position]; }
  static void count(std::atomic<std::uint64_t>& counter) {  // one writer: no locked add needed
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // Writes one record: fill(record) sets its fields, texts follow it. False: dropped and counted.
  template <class Record, class Fill>
  bool write(RecordType type, bool must, std::string_view first, std::string_view second, Fill fill) {
    const auto bytes = static_cast<std::uint32_t>(sizeof(Record) + first.size() + second.size());
    void* room = ring.reserve(bytes, must);
    if (room == nullptr) {
      count(dropped);
      return false;
    }
    auto* record = static_cast<Record*>(room);
    *static_cast<RecordHead*>(room) = {static_cast<std::uint16_t>(bytes), type, 0, 0, 0};
    fill(*record);
    char* text = reinterpret_cast<char*>(record + 1);
    if (!first.empty()) std::memcpy(text, first.data(), first.size());
    if (!second.empty()) std::memcpy(text + first.size(), second.data(), second.size());
    ring.commit(bytes);
    return true;
  }
  // Tells the flush thread when much is waiting. After a write.
  void written();
  void write_context();
};

// The calling thread's state for as long as the object lives; empty where this process isn't recorded, or the thread is
// inside the collector already (a signal handler that came in between).
class Entered {
 public:
  Entered();
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  explicit operator bool() const { return thread_ != nullptr; }
  ThreadState* operator->() const { return thread_; }
  ThreadState& operator*() const { return *thread_; }

 private:
  ThreadState* thread_;
};

// In the child of a fork, whose only thread is the caller: forget the parent's state.
void forget_thread_after_fork();

// At most kLongestText bytes; an empty view for nullptr.
std::string_view text_of(const char* text);

}  // namespace moescope::collector
