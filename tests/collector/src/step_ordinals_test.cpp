// SPDX-License-Identifier: Apache-2.0
#include "collector/src/step_ordinals.h"

#include <random>
#include <vector>

#include "tests/support/catch.h"

using namespace moescope::collector;

TEST_CASE("A thread's steps are numbered from 0, whatever numbers the user gives") {
  StepOrdinals steps;
  std::int32_t last = -1;
  std::int32_t expected = 0;
  for (const std::int64_t number : {100, 101, 102, 0, 0, 0, 101, 100, -5}) {
    last = steps.begin(0, number, last);
    CHECK(last == expected++);
    steps.end(0, last);
  }
}

TEST_CASE("Other threads of the rank join, early and late; other ranks count for themselves") {
  StepOrdinals steps;
  CHECK(steps.begin(0, 7, -1) == 0);
  CHECK(steps.begin(0, 7, -1) == 0);  // a second thread
  CHECK(steps.begin(1, 7, -1) == 0);  // another rank
  CHECK(steps.begin(0, 8, 0) == 1);   // the first thread goes on
  CHECK(steps.begin(0, 7, -1) == 0);  // a third thread, late: step 7 is still open
  CHECK(steps.begin(0, 8, 0) == 1);   // and follows
  CHECK(steps.begin(0, 9, 1) == 2);
  CHECK(steps.begin(0, 8, 0) == 1);  // the second, one step behind
  CHECK(steps.begin(0, 9, 1) == 2);
}

TEST_CASE("A second epoch is not the first, also for a thread that skipped steps") {
  StepOrdinals steps;
  std::int32_t a = -1;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (int n = 0; n < 10; ++n) {
      a = steps.begin(0, n, a);
      CHECK(a == epoch * 10 + n);
      steps.end(0, a);
    }
  CHECK(steps.begin(0, 9, 4) == 29);  // a thread last seen in the first epoch joins the newest
}

TEST_CASE("A thread new to the rank does not join a step long over") {
  StepOrdinals steps;
  std::int32_t a = -1;
  for (int n = 0; n < 5; ++n) {
    a = steps.begin(0, n, a);
    steps.end(0, a);
  }
  CHECK(steps.begin(0, 4, -1) == 4);  // the newest, though over
  CHECK(steps.begin(0, 2, -1) == 5);
}

TEST_CASE("Lagging threads always agree with the leader") {
  // The truth is the position in a shared sequence of numbers; threads walk it at their own speed, never more than 200
  // apart, which is what the collector remembers.
  std::mt19937 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    StepOrdinals steps;
    const int period = 250 + static_cast<int>(random() % 50);
    std::vector<int> at(4, 0);
    std::vector<std::int32_t> last(4, -1);
    const auto walk = [&](std::size_t t) {
      last[t] = steps.begin(3, at[t] % period, last[t]);
      CHECK(last[t] == at[t]);
      ++at[t];
    };
    for (std::size_t t = 0; t < 4; ++t) walk(t);  // all see the first step, in it together
    for (int i = 0; i < 2000; ++i) {
      const std::size_t t = random() % 4;
      int slowest = at[0];
      for (const int a : at) slowest = std::min(slowest, a);
      if (at[t] - slowest < 200) {
        walk(t);
        if (random() % 2) steps.end(3, last[t]);
      }
    }
  }
}

TEST_CASE("Explicit spans and windows find their step in either order") {
  StepOrdinals steps;
  CHECK(steps.window(0, 50) == 0);
  CHECK(steps.find(0, 50) == 0);
  CHECK(steps.find(0, 51) == 1);  // spans first
  CHECK(steps.window(0, 51) == 1);
  CHECK(steps.window(0, 50) == 2);  // the number again: another step
  CHECK(steps.find(0, 50) == 2);
  CHECK(steps.find(4, 50) == 0);
}
