#pragma once
// SPDX-License-Identifier: Apache-2.0
// Everything of a picture that isn't a lane's bar, as a flat list of shapes: computed once, without a window, and drawn
// by whoever can draw (QPainter on screen, text into an SVG). Logical pixels, y downwards.

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gui/core/palette.h"

namespace moescope::gui {

struct SceneRect {
  double x = 0, y = 0, width = 0, height = 0;
  Color fill = 0;  // alpha 0: none
  double radius = 0;
  Color stroke = 0;  // alpha 0: none; 1 pixel wide
  bool hatched = false;
  Color hatch = 0;
};
struct SceneLine {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Color color = 0;
  double width = 1;
};
struct SceneCurve {  // leaves and arrives vertically
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Color color = 0;
  double width = 1;
};
enum class Anchor : std::uint8_t { kLeft, kCenter, kRight };
struct SceneText {
  double x = 0, y = 0;  // y: middle of the line
  std::string text;
  Color color = 0;
  double size = 13;  // pixels
  bool bold = false;
  Anchor anchor = Anchor::kLeft;
};
using SceneItem = std::variant<SceneRect, SceneLine, SceneCurve, SceneText>;
using Scene = std::vector<SceneItem>;
void add(Scene& scene, SceneRect rect);
void add(Scene& scene, SceneLine line);
void add(Scene& scene, SceneCurve curve);
void add(Scene& scene, SceneText text);

// Width in pixels of a line of text; who draws knows its font.
using TextWidth = std::function<double(std::string_view text, double size, bool bold)>;
// The text, or as much of it as fits with an ellipsis; empty where not even that does.
std::string elided(std::string_view text, double width, double size, bool bold, const TextWidth& text_width);

}  // namespace moescope::gui
