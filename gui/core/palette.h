#pragma once
// SPDX-License-Identifier: Apache-2.0
// Colours by meaning: communication is cool, computation warm, and the five stages of an expert layer stay apart for
// colour-blind eyes too (tests/gui/core/palette_test.cpp simulates them). No colour speaks alone: each has a label.

#include <cstdint>

#include "analyzer/model/stage.h"

namespace moescope::gui {

using Color = std::uint32_t;  // 0xAARRGGBB

enum class Theme : std::uint8_t { kDark, kLight };

struct ThemeColors {
  Color background, panel, lane, grid, text, dim_text, outline, selection, warning, hatch;
};
const ThemeColors& theme_colors(Theme theme);
Color stage_color(Stage stage, Theme theme);
// Waves alternate between the stage's colour and a second tone; wave -1 (none) is the stage's colour.
Color wave_color(Color stage, int wave, Theme theme);

Color mix(Color from, Color to, double share);  // share 0: from, 1: to; alpha as from
Color with_alpha(Color color, double alpha);
double luminance(Color color);  // relative luminance, WCAG: 0 black, 1 white
Color text_on(Color fill);      // white where it is readable, else near black

}  // namespace moescope::gui
