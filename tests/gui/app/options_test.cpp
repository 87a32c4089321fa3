// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.h"

#include <vector>

#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

ParsedOptions parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "moescope-gui");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

TEST_CASE("everything a user can say") {
  const auto parsed = parse({"--screenshot", "a.svg", "--view", "summary", "--range", "1:2", "--size", "800x600",
                             "--theme", "light", "--ranks", "2:3", "--steps", ":4", "--scale", "2", "run1", "run2"});
  REQUIRE(parsed.options);
  const Options& options = *parsed.options;
  CHECK(options.runs == std::vector<std::string>{"run1", "run2"});
  CHECK(options.screenshot == "a.svg");
  CHECK(options.view == "summary");
  CHECK(options.width == 800);
  CHECK(options.height == 600);
  CHECK(options.scale == 2);
  CHECK(options.theme == Theme::kLight);
  CHECK(options.ranks.first == 2);
  CHECK(options.ranks.last == 3);
  CHECK(options.steps.last == 4);
  CHECK(parse({}).options->theme == Theme::kDark);
}

TEST_CASE("wrong usage is exit code 2") {
  for (const std::vector<const char*>& wrong : std::vector<std::vector<const char*>>{{"--screenshot", "a.jpg", "run"},
                                                                                     {"--screenshot", "a.png"},
                                                                                     {"--view", "nothing"},
                                                                                     {"--theme", "green"},
                                                                                     {"--range", "5:1"},
                                                                                     {"--range", "abc"},
                                                                                     {"--size", "10x10"},
                                                                                     {"--size", "800"},
                                                                                     {"--size", "800x600x2"},
                                                                                     {"--ranks", "a"},
                                                                                     {"--steps", "3:1"},
                                                                                     {"--scale", "9"},
                                                                                     {"--unknown"}}) {
    const auto parsed = parse(wrong);
    INFO(wrong.front());
    CHECK_FALSE(parsed.options);
    CHECK(parsed.exit_code == 2);
  }
}

TEST_CASE("help and version are no errors") {
  for (const char* const asked : {"--help", "--version"}) {
    const auto parsed = parse({asked});
    CHECK_FALSE(parsed.options);
    CHECK(parsed.exit_code == 0);
  }
}
