// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>

#include "gui/core/time_text.h"
#include "gui/views/views.h"

namespace moescope::gui {
namespace {

constexpr double kSmallest = 200, kLargest = 16384;

bool parse_size(const std::string& text, double& width, double& height) {
  const char* const last = text.data() + text.size();
  const auto [cross, bad_width] = std::from_chars(text.data(), last, width);
  if (bad_width != std::errc{} || cross == last || *cross != 'x') return false;
  const auto [end, bad_height] = std::from_chars(cross + 1, last, height);
  return bad_height == std::errc{} && end == last && width >= kSmallest && width <= kLargest && height >= kSmallest &&
         height <= kLargest;
}

std::string view_names() {
  std::string names;
  for (const ViewKind& kind : view_kinds()) names.append(names.empty() ? "" : ", ").append(kind.name);
  return names;
}

int complain(const std::string& text) {
  std::fprintf(stderr, "moescope-gui: %s\n", text.c_str());
  return 2;
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  std::string theme = "dark", ranks, steps;
  CLI::App app{
      "Shows a recorded run: the stages of each rank over time, waves numbered, exposed communication hatched.\n"
      "Example: moescope-gui --screenshot gantt.png --range 12.5:14 RUN"};
  app.name("moescope-gui");
  app.set_version_flag("--version", "moescope-gui " MOESCOPE_VERSION);
  app.add_option("RUN", options.runs, "Run files, directories of them, or traces that `moescope import` reads");
  app.add_option("--screenshot", options.screenshot, "Draw into FILE.png or FILE.svg and end; needs no display");
  app.add_option("--view", options.view, "What the screenshot shows, or the window starts with: " + view_names())
      ->capture_default_str();
  app.add_option("--range", options.range,
                 "A:B, the time to show, from the start of the run: 12.5:14 is in ms; 800us:1.2ms, 1s: and :3ms work "
                 "too, and : is the whole run. Default: one step, or one layer of it, from the middle of the run");
  app.add_option("--size", options.size, "WxH of the screenshot in pixels; default 1600 x what the lanes need");
  app.add_option("--scale", options.scale, "Device pixels per pixel, for sharp screens")->check(CLI::Range(0.5, 4.0));
  app.add_option("--theme", theme, "dark or light")->capture_default_str();
  app.add_option("--ranks", ranks, "A:B, inclusive: only these ranks");
  app.add_option("--steps", steps, "A:B, inclusive: show the time of these steps");
  app.add_flag("--salvage", options.salvage, "Show what is whole of a truncated trace");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return {std::nullopt, app.exit(asked)};
  } catch (const CLI::ParseError& wrong) {
    return {std::nullopt, complain(std::string(wrong.what()) + "; see moescope-gui --help")};
  }
  if (theme != "dark" && theme != "light") return {std::nullopt, complain("--theme " + theme + ": use dark or light")};
  options.theme = theme == "dark" ? Theme::kDark : Theme::kLight;
  if (find_view(options.view) == nullptr)
    return {std::nullopt, complain("--view " + options.view + ": no such view; use one of: " + view_names())};
  for (const auto& [text, range, flag] :
       {std::tuple{&ranks, &options.ranks, "--ranks "}, {&steps, &options.steps, "--steps "}}) {
    if (text->empty()) continue;
    const auto parsed = parse_range(*text);
    if (!parsed) return {std::nullopt, complain(flag + *text + ": not a range; use A:B, A: or :B")};
    *range = *parsed;
  }
  if (!options.range.empty() && !parse_time_range(options.range, 1e18))
    return {std::nullopt,
            complain("--range " + options.range + ": not a range of time; use A:B in ms, or with a unit, 800us:1.2ms")};
  if (!options.size.empty() && !parse_size(options.size, options.width, options.height))
    return {std::nullopt, complain("--size " + options.size + ": use WxH, each from 200 to 16384")};
  if (!options.screenshot.empty()) {
    if (options.runs.empty())
      return {std::nullopt, complain("--screenshot needs a RUN to draw; see moescope-gui --help")};
    if (!options.screenshot.ends_with(".png") && !options.screenshot.ends_with(".svg"))
      return {std::nullopt, complain(options.screenshot + ": unknown kind of picture; use FILE.png or FILE.svg")};
  }
  return {options, 0};
}

}  // namespace moescope::gui
