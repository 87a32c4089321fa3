// SPDX-License-Identifier: Apache-2.0
#include "collector/src/spsc_ring.h"

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using namespace moescope::collector;

namespace {

// A record: its size, then a running number, then bytes made from the number.
bool put(SpscRing& ring, std::uint32_t number, std::uint32_t bytes, bool must = false) {
  void* room = ring.reserve(bytes, must);
  if (room == nullptr) return false;
  auto* to = static_cast<unsigned char*>(room);
  std::memcpy(to, &bytes, 4);
  std::memcpy(to + 4, &number, 4);
  std::memset(to + 8, static_cast<int>(number & 0xff), bytes - 8);
  ring.commit(bytes);
  return true;
}

struct Reader {
  std::vector<std::uint32_t> numbers;
  std::size_t damaged = 0;
  std::uint32_t operator()(const unsigned char* record) {
    std::uint32_t bytes = 0, number = 0;
    std::memcpy(&bytes, record, 4);
    std::memcpy(&number, record + 4, 4);
    for (std::uint32_t i = 8; i < bytes; ++i) damaged += record[i] != (number & 0xff);
    numbers.push_back(number);
    return bytes;
  }
};

}  // namespace

TEST_CASE("Records of any size come out as they went in, while both sides run") {
  ChunkPool pool(1000000);
  SpscRing ring(&pool);
  Reader reader;
  constexpr std::uint32_t kRecords = 200000;
  std::thread writer([&] {
    std::mt19937 random(11);
    for (std::uint32_t i = 0; i < kRecords; ++i) {
      const auto bytes = static_cast<std::uint32_t>(random() % 50 == 0 ? 8 + random() % 5000 : 8 + random() % 100);
      put(ring, i, bytes);
    }
  });
  while (reader.numbers.size() < kRecords) ring.drain([&](const unsigned char* r) { return reader(r); });
  writer.join();
  bool in_order = true;
  for (std::uint32_t i = 0; i < kRecords; ++i) in_order &= reader.numbers[i] == i;
  CHECK(in_order);
  CHECK(reader.damaged == 0);
}

TEST_CASE("The largest record fits a chunk exactly") {
  ChunkPool pool(10);
  SpscRing ring(&pool);
  Reader reader;
  CHECK(put(ring, 1, 16));
  CHECK(put(ring, 2, Chunk::kBytes));
  CHECK(put(ring, 3, 16));
  ring.drain([&](const unsigned char* r) { return reader(r); });
  CHECK(reader.numbers == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("A full pool drops and never waits; what must be written still is; what was read makes room") {
  ChunkPool pool(2);
  SpscRing ring(&pool);
  std::uint32_t written = 0;
  while (put(ring, written, 1024)) ++written;
  CHECK(written == 2 * (Chunk::kBytes / 1024));
  CHECK(pool.in_use() == 2);
  CHECK(ring.backlog() == 2);
  CHECK_FALSE(put(ring, written, 1024));
  CHECK(put(ring, written++, 1024, true));
  Reader reader;
  ring.drain([&](const unsigned char* r) { return reader(r); });
  CHECK(reader.numbers.size() == written);
  CHECK(pool.in_use() == 1);  // the one being written
  CHECK(put(ring, written, 1024));
}

TEST_CASE("A ring gives its chunks back when it goes, read or not") {
  ChunkPool pool(100);
  for (int i = 0; i < 50; ++i) {
    SpscRing ring(&pool);
    for (std::uint32_t n = 0; n < 200; ++n) put(ring, n, 1024);
    Reader reader;
    if (i % 2 == 0) ring.drain([&](const unsigned char* r) { return reader(r); });
  }
  CHECK(pool.in_use() == 0);
  CHECK(pool.most_used() == 4);
}

TEST_CASE("Many rings share a pool from many threads") {
  ChunkPool pool(64);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        SpscRing ring(&pool);
        Reader reader;
        std::uint32_t written = 0;
        for (int i = 0; i < 300; ++i) written += put(ring, written, 900) ? 1 : 0;
        ring.drain([&](const unsigned char* r) { return reader(r); });
        if (reader.numbers.size() != written || reader.damaged != 0) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(pool.in_use() == 0);
}
