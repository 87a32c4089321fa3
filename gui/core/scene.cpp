// SPDX-License-Identifier: Apache-2.0
#include "gui/core/scene.h"

#include <utility>

namespace moescope::gui {

void add(Scene& scene, SceneRect rect) {
  scene.emplace_back(rect);
}
void add(Scene& scene, SceneLine line) {
  scene.emplace_back(line);
}
void add(Scene& scene, SceneCurve curve) {
  scene.emplace_back(curve);
}
void add(Scene& scene, SceneText text) {
  scene.emplace_back(std::in_place_type<SceneText>, std::move(text));
}

std::string elided(std::string_view text, double width, double size, bool bold, const TextWidth& text_width) {
  if (text_width(text, size, bold) <= width) return std::string(text);
  std::size_t low = 0, high = text.size();  // the longest prefix that fits lies in [low, high)
  const auto prefix = [&](std::size_t length) {
    while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
    return std::string(text.substr(0, length)) + "…";
  };
  while (low + 1 < high) {
    const std::size_t middle = (low + high) / 2;
    (text_width(prefix(middle), size, bold) <= width ? low : high) = middle;
  }
  return low == 0 ? std::string{} : prefix(low);
}

}  // namespace moescope::gui
