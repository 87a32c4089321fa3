// SPDX-License-Identifier: Apache-2.0
#include "gui/core/gantt_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/core/ruler_ticks.h"
#include "gui/core/span_text.h"
#include "gui/core/time_text.h"

namespace moescope::gui {
namespace {

constexpr double kMargin = 18, kGutter = 240, kStageX = 122;
constexpr double kHeader = 106, kFooter = 46;  // from the edges to the lanes' window
constexpr double kTextSize = 12.5, kSmallSize = 11;
constexpr double kLabelFromPx = 20;  // narrower bars carry no label
constexpr std::size_t kMostLabels = 2000;

class Builder {
 public:
  explicit Builder(const FrameInput& input)
      : in_(input), colors_(theme_colors(input.theme)), ticks_(ruler_ticks(input.axis)) {
    frame_.geometry = input.geometry;
    frame_.layout = LaneLayout(*input.gantt, input.heights);
    frame_.scroll = input.scroll;
    frame_.theme = input.theme;
  }
  Frame build() {
    prepare_items();
    groups();
    grid();
    flows();
    for (const LaneBox& box : frame_.layout.lanes())
      if (visible(box)) labels(box);
    header();
    ruler();
    legend();
    if (in_.gantt->lanes.empty()) nothing();
    return std::move(frame_);
  }

 private:
  bool visible(const LaneBox& box) const {
    const double y = frame_.y_of(box);
    return y + box.height > in_.geometry.lanes_y && y < in_.geometry.lanes_y + in_.geometry.lanes_height;
  }
  double lanes_end() const { return in_.geometry.lanes_y + in_.geometry.lanes_height; }
  double plot_end() const { return in_.geometry.plot_x + in_.geometry.plot_width; }
  double width_of(std::string_view text, double size, bool bold = false) const {
    return in_.text_width(text, size, bold);
  }

  void prepare_items() {
    const TimeAxis axis = in_.axis.in_device_pixels(in_.pixel_ratio);
    frame_.items.resize(in_.gantt->lanes.size());
    for (const LaneBox& box : frame_.layout.lanes())
      if (visible(box)) frame_.items[box.lane] = prepare_lane(in_.gantt->lanes[box.lane], axis);
  }

  void groups() {
    for (const GroupBox& box : frame_.layout.groups()) {
      const LaneGroup& group = in_.gantt->groups[box.group];
      const double y = in_.geometry.lanes_y + box.y - in_.scroll;
      if (y > lanes_end() || y + box.height < in_.geometry.lanes_y) continue;
      add(frame_.below,
          SceneRect{kMargin - 8, y, in_.geometry.width - 2 * (kMargin - 8), box.height, colors_.panel, 6});
      const double first = y + in_.heights.padding + in_.heights.bar / 2;
      const double room = kStageX - kMargin - 8;
      add(frame_.above,
          SceneText{kMargin, first, elided(group.label, room, 13, true, in_.text_width), colors_.text, 13, true});
      const DeviceFigures& figures = in_.gantt->figures.devices[group.figures];
      if (!figures.hidden || !figures.exposed || box.height < 64) continue;
      const std::string facts[] = {duration_text(*figures.exposed) + " exposed",
                                   percent_text(*figures.hidden) + " hidden"};
      for (std::size_t i = 0; i < std::size(facts); ++i)
        add(frame_.above,
            SceneText{kMargin, first + 19 + 15 * static_cast<double>(i), facts[i], colors_.dim_text, kSmallSize});
    }
    for (const LaneBox& box : frame_.layout.lanes()) {
      if (!visible(box)) continue;
      const Lane& lane = in_.gantt->lanes[box.lane];
      const double y = frame_.y_of(box);
      add(frame_.below, SceneRect{in_.geometry.plot_x, y, in_.geometry.plot_width, box.height, colors_.lane});
      add(frame_.above,
          SceneRect{kStageX, y + 0.15 * box.height, 3, 0.7 * box.height, stage_color(lane.role, in_.theme), 1.5});
      const double size = std::min(kTextSize, box.height + 2);
      const std::string text =
          elided(stage_label(lane.role), in_.geometry.plot_x - kStageX - 18, size, false, in_.text_width);
      if (size >= 8) add(frame_.above, SceneText{kStageX + 10, y + box.height / 2, text, colors_.text, size});
    }
  }

  void grid() {
    for (const Tick& tick : ticks_) {
      const double x = in_.geometry.plot_x + std::round(tick.pixel) + 0.5;
      add(frame_.below, SceneLine{x, in_.geometry.lanes_y, x, lanes_end(), colors_.grid, 1});
    }
  }

  void flows() {
    const auto boxes = frame_.layout.lanes();
    for (const Flow& flow : wave_flows(*in_.trace, *in_.attribution, *in_.gantt, frame_.items)) {
      const LaneBox &from = boxes[flow.from_lane], &to = boxes[flow.to_lane];
      const bool down = to.y > from.y;
      const double x0 = in_.geometry.plot_x + std::clamp(flow.x0 / in_.pixel_ratio, 0.0, in_.geometry.plot_width) - 1;
      const double x1 = in_.geometry.plot_x + std::clamp(flow.x1 / in_.pixel_ratio, 0.0, in_.geometry.plot_width) + 1;
      add(frame_.above, SceneCurve{x0, frame_.y_of(from) + (down ? from.height : 0), x1,
                                   frame_.y_of(to) + (down ? 0 : to.height), with_alpha(colors_.text, 0.45), 1});
    }
  }

  void labels(const LaneBox& box) {
    const double size = std::min(kTextSize, box.height - 4);
    if (size < 8) return;
    const Lane& lane = in_.gantt->lanes[box.lane];
    for (const Bar& bar : frame_.items[box.lane].bars) {
      const double x0 = std::max(0.0, bar.x0 / in_.pixel_ratio);
      const double x1 = std::min(in_.geometry.plot_width, bar.x1 / in_.pixel_ratio);
      if (x1 - x0 < kLabelFromPx || ++labels_ > kMostLabels) continue;
      label(box, lane, bar.segment, x0, x1, size);
    }
  }

  // x0, x1: the bar's visible part.
  void label(const LaneBox& box, const Lane& lane, std::size_t segment, double x0, double x1, double size) {
    const int wave = lane.wave[segment];
    std::string text = wave >= 0 ? fmt::format("w{}", wave) : short_name(in_.trace->name_of(lane.row[segment]));
    double width = width_of(text, size);
    if (wave < 0 && width > x1 - x0 - 10) {
      text = std::string(stage_label(lane.role));
      width = width_of(text, size);
    }
    const double padding = std::min(6.0, (x1 - x0 - width) / 2);  // a narrow bar's number stands in its middle
    if (padding < (wave >= 0 ? 1.5 : 5)) return;
    const Color fill = wave_color(stage_color(lane.role, in_.theme), wave, in_.theme);
    const double x = in_.geometry.plot_x + x0 + padding, y = frame_.y_of(box);
    if (hatched_between(box.lane, x0 + padding - 3, x0 + padding + width + 3)) {
      if (width + 6 > (wave < 0 ? 0.5 : 0.7) * (x1 - x0)) return;  // the hatch says more than the label
      const double left = std::max(x - 3, in_.geometry.plot_x + x0);
      add(frame_.above,
          SceneRect{left, y + 2, std::min(x + width + 3, in_.geometry.plot_x + x1) - left, box.height - 4, fill, 3});
    }
    add(frame_.above, SceneText{x, y + box.height / 2, text, text_on(fill), size});
  }

  bool hatched_between(std::size_t lane, double x0, double x1) const {
    const auto& hatches = frame_.items[lane].hatches;
    return std::any_of(hatches.begin(), hatches.end(), [&](const Bar& hatch) {
      return hatch.x0 / in_.pixel_ratio < x1 && hatch.x1 / in_.pixel_ratio > x0;
    });
  }

  void header() {
    double x = kMargin;
    const double right = in_.geometry.width - kMargin;
    double badge_x = right;
    for (auto badge = in_.title.badges.rbegin(); badge != in_.title.badges.rend(); ++badge) {
      const double width = width_of(*badge, kSmallSize, true) + 18;
      badge_x -= width;
      add(frame_.border, SceneRect{badge_x, 15, width, 20, with_alpha(colors_.warning, 0.14), 10, colors_.warning});
      add(frame_.border,
          SceneText{badge_x + width / 2, 25, *badge, colors_.warning, kSmallSize, true, Anchor::kCenter});
      badge_x -= 8;
    }
    const std::string name = elided(in_.title.name, 0.5 * (badge_x - x), 17, true, in_.text_width);
    add(frame_.border, SceneText{x, 25, name, colors_.text, 17, true});
    x += width_of(name, 17, true) + 14;
    add(frame_.border,
        SceneText{x, 26, elided(in_.title.about, badge_x - x - 12, 13, false, in_.text_width), colors_.dim_text, 13});

    x = kMargin;
    for (const KeyFigure& figure : in_.title.figures) {
      const double value = width_of(figure.value, 14, true), label = width_of(figure.label, kTextSize);
      if (x + value + 6 + label > right) break;
      add(frame_.border, SceneText{x, 55, figure.value, colors_.text, 14, true});
      add(frame_.border, SceneText{x + value + 6, 55.5, figure.label, colors_.dim_text, kTextSize});
      x += value + label + 30;
    }
    std::string note = in_.extra_note;
    if (!note.empty() && !in_.gantt->note.empty()) note += " · ";
    note += in_.gantt->note;
    note = elided(note, right - x, kTextSize, false, in_.text_width);
    add(frame_.border, SceneText{right, 55.5, note, colors_.dim_text, kTextSize, false, Anchor::kRight});
  }

  void ruler() {
    const double y = in_.geometry.ruler_y;
    const std::string note =
        elided(in_.window_note, in_.geometry.plot_x - kMargin - 30, kSmallSize, false, in_.text_width);
    add(frame_.border, SceneText{kMargin, y + 7, note, colors_.dim_text, kSmallSize});
    for (const Tick& tick : ticks_) {
      if (tick.pixel < -0.5 || tick.pixel > in_.geometry.plot_width + 0.5) continue;
      const double x = in_.geometry.plot_x + std::round(tick.pixel) + 0.5;
      add(frame_.border, SceneLine{x, y + 15, x, in_.geometry.lanes_y, colors_.grid, 1});
      const double half = width_of(tick.label, kSmallSize) / 2;
      const double at = std::clamp(x, in_.geometry.plot_x + half, in_.geometry.width - kMargin - half);
      add(frame_.border, SceneText{at, y + 7, tick.label, colors_.dim_text, kSmallSize, false, Anchor::kCenter});
    }
  }

  void legend() {
    const double y = in_.geometry.height - kFooter / 2 + 2;
    double x = in_.geometry.plot_x;
    const auto chip = [&](SceneRect rect, std::string_view text) {
      const double width = width_of(text, kSmallSize);
      if (x + rect.width + 8 + width > in_.geometry.width - kMargin) return;
      rect.x = x;
      rect.y = y - rect.height / 2;
      add(frame_.border, rect);
      x += rect.width + 8;
      add(frame_.border, SceneText{x, y, std::string(text), colors_.dim_text, kSmallSize});
      x += width + 26;
    };
    const Color sample = stage_color(Stage::kDISPATCH, in_.theme);
    chip({0, 0, 26, 13, sample, 2, 0, true, colors_.hatch}, "exposed communication: no computation runs meanwhile");
    const auto& lanes = in_.gantt->lanes;
    if (std::any_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.waves; })) {
      chip({0, 0, 13, 13, sample, 2}, "even wave");
      chip({0, 0, 13, 13, wave_color(sample, 1, in_.theme), 2}, "odd wave");
    }
    if (std::any_of(frame_.items.begin(), frame_.items.end(),
                    [](const LaneItems& items) { return !items.folds.empty(); }))
      chip({0, 0, 26, 13, mix(colors_.lane, sample, 0.5), 2}, "many short spans: brightness is their busy share");
  }

  void nothing() {
    add(frame_.border, SceneText{in_.geometry.width / 2, in_.geometry.lanes_y + in_.geometry.lanes_height / 2,
                                 "Nothing to draw: this run has no work on a device or an execution lane.",
                                 colors_.dim_text, 14, false, Anchor::kCenter});
  }

  const FrameInput& in_;
  const ThemeColors& colors_;
  std::vector<Tick> ticks_;
  std::size_t labels_ = 0;
  Frame frame_;
};

}  // namespace

FrameGeometry frame_geometry(double width, double height) {
  FrameGeometry geometry;
  geometry.width = width;
  geometry.height = height;
  geometry.plot_x = kGutter;
  geometry.plot_width = std::max(50.0, width - kGutter - kMargin);
  geometry.ruler_y = kHeader - 28;
  geometry.lanes_y = kHeader;
  geometry.lanes_height = std::max(0.0, height - kHeader - kFooter);
  return geometry;
}

double height_for(double lanes_height) {
  return kHeader + std::ceil(lanes_height) + kFooter;
}

Frame build_frame(const FrameInput& input) {
  return Builder(input).build();
}

}  // namespace moescope::gui
