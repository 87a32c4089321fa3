// SPDX-License-Identifier: Apache-2.0
#include "gui/core/navigation_stack.h"

#include "tests/support/catch.h"

using namespace moescope::gui;

TEST_CASE("back returns to each place once, last first") {
  NavigationStack stack;
  stack.leave({0, 100});
  stack.leave({10, 20});
  CHECK(stack.back() == TimeView{10, 20});
  CHECK(stack.back() == TimeView{0, 100});
  CHECK_FALSE(stack.back());
}

TEST_CASE("a gesture of many small moves is one place: where it began") {
  NavigationStack stack;
  for (int notch = 0; notch < 30; ++notch) stack.leave({0.0 + notch, 100.0 - notch}, 1);
  stack.leave({30, 70}, 2);
  CHECK(stack.depth() == 2);
  CHECK(stack.back() == TimeView{30, 70});
  CHECK(stack.back() == TimeView{0, 100});
}

TEST_CASE("going back ends a gesture") {
  NavigationStack stack;
  stack.leave({0, 100}, 1);
  CHECK(stack.back() == TimeView{0, 100});
  stack.leave({0, 100}, 1);
  CHECK(stack.depth() == 1);
}

TEST_CASE("leaving the same place twice, or two hundred places, keeps the stack small") {
  NavigationStack stack;
  stack.leave({1, 2});
  stack.leave({1, 2});
  CHECK(stack.depth() == 1);
  for (int i = 0; i < 1000; ++i) stack.leave({0.0, 10.0 + i});
  CHECK(stack.depth() == 200);
  CHECK(stack.back() == TimeView{0, 1009});
}
