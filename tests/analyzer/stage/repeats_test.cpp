// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/repeats.h"

#include <random>

#include "tests/support/catch.h"

using namespace moescope;

namespace {

using Sequence = std::vector<std::int32_t>;

Repeats search(const Sequence& sequence, std::vector<std::int64_t> pauses = {}) {
  std::int32_t most = 0;
  for (const std::int32_t one : sequence) most = std::max(most, one);
  pauses.resize(sequence.size());
  return find_repeats(sequence, static_cast<std::size_t>(most) + 1, pauses);
}

}  // namespace

TEST_CASE("a period is found, and repeats begin at pauses") {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    const std::size_t period = 5 + random() % 200, repeats = 3 + random() % 30;
    Sequence one;
    for (std::size_t i = 0; i < period; ++i) one.push_back(static_cast<std::int32_t>(random() % 40));
    one[period / 2] = 41;  // occurs once a period
    one[0] = 42;
    Sequence all;
    std::vector<std::int64_t> pauses;
    for (std::size_t r = 0; r < repeats; ++r)
      for (std::size_t i = 0; i < period; ++i) {
        all.push_back(one[i]);
        pauses.push_back(i == 0 ? 1000 : static_cast<std::int64_t>(random() % 10));
      }
    const Repeats found = search(all, pauses);
    INFO("period " << period << ", repeats " << repeats);
    CHECK(found.period == period);
    CHECK(found.confidence > 0.97);
    REQUIRE(found.begins.size() == repeats);
    for (std::size_t r = 0; r < repeats; ++r) CHECK(found.begins[r] == r * period);
    CHECK(found.last_whole);
  }
}

TEST_CASE("an unfinished last repeat is not whole") {
  Sequence all;
  for (int r = 0; r < 5; ++r)
    for (int i = 0; i < (r == 4 ? 8 : 20); ++i) all.push_back(i);
  std::vector<std::int64_t> pauses(all.size());
  for (std::size_t i = 0; i < all.size(); i += 20) pauses[i] = 100;
  const Repeats found = search(all, pauses);
  REQUIRE(found.begins.size() == 5);
  CHECK_FALSE(found.last_whole);
}

TEST_CASE("what repeats within one step is no step, nor is noise, nor two repeats") {
  Sequence one_step;  // 20 symbols before and behind 30 layers of 12
  for (int i = 0; i < 10; ++i) one_step.push_back(100 + i);
  for (int layer = 0; layer < 30; ++layer)
    for (int i = 0; i < 12; ++i) one_step.push_back(i);
  for (int i = 0; i < 10; ++i) one_step.push_back(200 + i);
  CHECK(search(one_step).confidence < 0.8);
  std::mt19937 random(3);
  Sequence noise;
  for (int i = 0; i < 3000; ++i) noise.push_back(static_cast<std::int32_t>(random() % 50));
  CHECK(search(noise).confidence < 0.8);
  Sequence twice;
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < 50; ++i) twice.push_back(i);
  CHECK(search(twice).confidence == 0);
  CHECK(search({}).confidence == 0);
  CHECK(search({1, 2, 3}).confidence == 0);
}
