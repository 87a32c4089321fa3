// SPDX-License-Identifier: Apache-2.0
// The emulated link's deadlines, on a clock that the test moves.
#include "reference_kernels/cpu/rate_limiter.h"

#include <vector>

#include "tests/reference_kernels/random_cases.h"
#include "tests/support/catch.h"

using namespace moescope::reference;
using moescope::reference::test::RandomCases;

namespace {
struct FakeTime {
  std::int64_t now = 0;
  std::vector<std::int64_t> slept_until;
  std::int64_t oversleep = 0;
};
struct FakeClock {
  FakeTime* time;
  std::int64_t now_ns() const { return time->now; }
  void sleep_until(std::int64_t until) const {
    time->slept_until.push_back(until);
    if (until > time->now) time->now = until + time->oversleep;
  }
};
constexpr std::int64_t kChunk = RateLimiter<FakeClock>::kChunkBytes;
}  // namespace

TEST_CASE("a transfer ends when its bytes fit the rate") {
  FakeTime time{1000, {}, 0};
  RateLimiter<FakeClock> link(0.25e9, {&time});  // 4 ns a byte
  link.begin();
  link.sent(100);
  link.sent(150);
  CHECK(time.slept_until.empty());  // below a chunk nobody sleeps
  link.finish();
  CHECK(time.now == 1000 + 250 * 4);
}

TEST_CASE("nothing sent takes no time") {
  FakeTime time{77, {}, 5};
  RateLimiter<FakeClock> link(1e9, {&time});
  link.begin();
  link.finish();
  CHECK(time.now == 77);
}

TEST_CASE("sleeping too long is made up for: deadlines stay where the rate puts them") {
  FakeTime time{0, {}, 50'000};
  RateLimiter<FakeClock> link(1e9, {&time});  // 1 ns a byte
  link.begin();
  for (int i = 0; i < 40; ++i) link.sent(kChunk);
  link.finish();
  for (int i = 0; i < 40; ++i) CHECK(time.slept_until[static_cast<std::size_t>(i)] == (i + 1) * kChunk);
  // One overshoot at the end, not forty.
  CHECK(time.now == 40 * kChunk + 50'000);
}

TEST_CASE("a copier slower than the link is not held back, and owes nothing to the next transfer") {
  FakeTime time{0, {}, 0};
  RateLimiter<FakeClock> link(1e9, {&time});
  link.begin();
  time.now += 10'000'000;
  link.sent(1000);
  link.finish();
  CHECK(time.now == 10'000'000);
  link.begin();
  link.sent(1000);
  link.finish();
  CHECK(time.now == 10'001'000);
}

TEST_CASE("any sizes, any lateness: the mean rate of a long transfer is the link's") {
  RandomCases random(9);
  for (int i = 0; i < 50; ++i) {
    FakeTime time{random.integer(0, 1000), {}, random.integer(0, 30'000)};
    const double rate = random.real(0.05e9, 4e9);
    RateLimiter<FakeClock> link(rate, {&time});
    const std::int64_t begin = time.now;
    std::int64_t bytes = 0;
    link.begin();
    while (bytes < 64 * kChunk) {
      const int row = random.integer(1, 60'000);
      bytes += row;
      link.sent(row);
    }
    link.finish();
    const double nominal = static_cast<double>(bytes) / rate * 1e9;
    CHECK(static_cast<double>(time.now - begin) >= nominal - 1);
    CHECK(static_cast<double>(time.now - begin) <= nominal + static_cast<double>(time.oversleep) + 1);
  }
}
