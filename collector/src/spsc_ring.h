#pragma once
// SPDX-License-Identifier: Apache-2.0
// How an event leaves the job's thread: a byte queue with one writer (that thread) and one reader (the flush thread),
// made of 64 KiB chunks that are taken from a pool when needed and go back when read. The writer never waits: where the
// pool's limit is reached the record is dropped and counted. Costs one compare and one release store a record.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace moescope::collector {

inline constexpr std::uint32_t kChunkSize = 64 * 1024;

struct Chunk {
  std::atomic<Chunk*> next;
  std::atomic<std::uint32_t> committed;  // bytes the reader may read
  static constexpr std::uint32_t kBytes = kChunkSize - 16;
  alignas(8) unsigned char bytes[kBytes];
};
static_assert(sizeof(Chunk) == kChunkSize);

// Fresh chunks are untouched pages: a thread that records little costs little. Any thread.
class ChunkPool {
 public:
  explicit ChunkPool(std::size_t limit) : limit_(limit) {}
  ~ChunkPool();
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;
  Chunk* take(bool beyond_limit);  // nullptr: the limit is reached, or there is no memory
  void give(Chunk* chunk);
  std::size_t in_use() const;
  std::size_t most_used() const;
  // Around fork(): nobody else may be in the pool while the address space is copied.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  static constexpr std::size_t kSpare = 16;
  mutable std::mutex mutex_;
  const std::size_t limit_;  // chunks
  std::size_t in_use_ = 0, most_used_ = 0, spares_ = 0;
  Chunk* spare_ = nullptr;
};

class SpscRing {
 public:
  explicit SpscRing(ChunkPool* pool) : pool_(pool) {}
  ~SpscRing();
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;

  // Writer. Room for one record of at most Chunk::kBytes, or nullptr (dropped). must: may go beyond the pool's limit,
  // for records without which others lose their meaning. What reserve() gave is seen by the reader after commit().
  void* reserve(std::uint32_t bytes, bool must) {
    if (position_ + rounded(bytes) > Chunk::kBytes && !grow(must)) return nullptr;
    return tail_->bytes + position_;
  }
  void commit(std::uint32_t bytes) {
    position_ += rounded(bytes);
    tail_->committed.store(position_, std::memory_order_release);
  }
  // Writer: chunks filled and not yet read.
  std::uint32_t backlog() const { return taken_ - given_.load(std::memory_order_relaxed); }

  // Reader. Calls record(const unsigned char*) for each committed record; it returns the record's size in bytes.
  template <class Record>
  void drain(Record record) {
    if (head_ == nullptr) head_ = first_.load(std::memory_order_acquire);
    while (head_ != nullptr) {
      // next is set after the last commit into a chunk: seen it, one more look at committed sees everything.
      Chunk* next = head_->next.load(std::memory_order_acquire);
      const std::uint32_t committed = head_->committed.load(std::memory_order_acquire);
      while (read_ < committed) read_ += rounded(record(static_cast<const unsigned char*>(head_->bytes) + read_));
      if (next == nullptr) return;
      pool_->give(head_);
      given_.store(given_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      head_ = next;
      read_ = 0;
    }
  }

  static constexpr std::uint32_t rounded(std::uint32_t bytes) { return (bytes + 7u) & ~7u; }

 private:
  bool grow(bool must);

  ChunkPool* pool_;
  // writer
  Chunk* tail_ = nullptr;
  std::uint32_t position_ = Chunk::kBytes, taken_ = 0;
  std::atomic<Chunk*> first_{nullptr};
  // reader
  alignas(64) Chunk* head_ = nullptr;
  std::uint32_t read_ = 0;
  std::atomic<std::uint32_t> given_{0};
};

}  // namespace moescope::collector
