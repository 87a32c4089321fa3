// SPDX-License-Identifier: Apache-2.0
#include "collector/src/spsc_ring.h"

#include <sys/mman.h>

#include <new>

namespace moescope::collector {

ChunkPool::~ChunkPool() {
  while (spare_ != nullptr) {
    Chunk* chunk = spare_;
    spare_ = chunk->next.load(std::memory_order_relaxed);
    munmap(chunk, kChunkSize);
  }
}

Chunk* ChunkPool::take(bool beyond_limit) {
  {
    const std::lock_guard lock(mutex_);
    if (in_use_ >= limit_ && !beyond_limit) return nullptr;
    ++in_use_;
    if (in_use_ > most_used_) most_used_ = in_use_;
    if (spare_ != nullptr) {
      Chunk* chunk = spare_;
      spare_ = chunk->next.load(std::memory_order_relaxed);
      --spares_;
      chunk->next.store(nullptr, std::memory_order_relaxed);
      chunk->committed.store(0, std::memory_order_relaxed);
      return chunk;
    }
  }
  void* memory = mmap(nullptr, kChunkSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    const std::lock_guard lock(mutex_);
    --in_use_;
    return nullptr;
  }
  auto* chunk = static_cast<Chunk*>(memory);  // only the two counters are touched, so only one page comes into being
  new (&chunk->next) std::atomic<Chunk*>(nullptr);
  new (&chunk->committed) std::atomic<std::uint32_t>(0);
  return chunk;
}

void ChunkPool::give(Chunk* chunk) {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (spares_ < kSpare) {
      chunk->next.store(spare_, std::memory_order_relaxed);
      spare_ = chunk;
      ++spares_;
      return;
    }
  }
  munmap(chunk, kChunkSize);
}

std::size_t ChunkPool::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

std::size_t ChunkPool::most_used() const {
  const std::lock_guard lock(mutex_);
  return most_used_;
}

SpscRing::~SpscRing() {
  Chunk* chunk = head_ != nullptr ? head_ : first_.load(std::memory_order_acquire);
  while (chunk != nullptr) {
    Chunk* next = chunk->next.load(std::memory_order_acquire);
    pool_->give(chunk);
    chunk = next;
  }
}

bool SpscRing::grow(bool must) {
  Chunk* chunk = pool_->take(must);
  if (chunk == nullptr) return false;
  if (tail_ == nullptr) {
    first_.store(chunk, std::memory_order_release);
  } else {
    tail_->next.store(chunk, std::memory_order_release);
  }
  tail_ = chunk;
  position_ = 0;
  ++taken_;
  return true;
}

}  // namespace moescope::collector
