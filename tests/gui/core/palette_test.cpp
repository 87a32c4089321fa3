// SPDX-License-Identifier: Apache-2.0
#include "gui/core/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

constexpr Stage kLayer[] = {Stage::kDISPATCH, Stage::kL1, Stage::kACT, Stage::kL2, Stage::kCOMBINE};
using Vector = std::array<double, 3>;

Vector linear_rgb(Color color) {
  Vector rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = ((color >> (16 - 8 * i)) & 0xff) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}
// Machado, Oliveira, Fernandes (2009), severity 1, on linear RGB.
constexpr double kProtan[3][3] = {
    {0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}};
constexpr double kDeutan[3][3] = {
    {0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}};
constexpr double kTritan[3][3] = {
    {1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}};

Vector seen_by(const double (&matrix)[3][3], const Vector& rgb) {
  Vector out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = std::clamp(matrix[i][0] * rgb[0] + matrix[i][1] * rgb[1] + matrix[i][2] * rgb[2], 0.0, 1.0);
  return out;
}
// CIE L*a*b*, D65.
Vector lab(const Vector& rgb) {
  const double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505;
  const double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  const double z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089;
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}
double distance(const Vector& a, const Vector& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

TEST_CASE("the five stages of a layer stay apart for colour-blind eyes, in both themes") {
  for (const Theme theme : {Theme::kDark, Theme::kLight})
    for (const auto* const eyes : {&kProtan, &kDeutan, &kTritan})
      for (const Stage a : kLayer)
        for (const Stage b : kLayer) {
          if (a == b) continue;
          INFO(name(a) << " and " << name(b));
          CHECK(distance(lab(seen_by(*eyes, linear_rgb(stage_color(a, theme)))),
                         lab(seen_by(*eyes, linear_rgb(stage_color(b, theme))))) > 15);
        }
}

TEST_CASE("labels on bars can be read, and every stage stands out from its lane") {
  for (const Theme theme : {Theme::kDark, Theme::kLight})
    for (int i = 0; i < kStageCount; ++i)
      for (const int wave : {0, 1}) {
        const Color fill = wave_color(stage_color(static_cast<Stage>(i), theme), wave, theme);
        const double bar = luminance(fill), text = luminance(text_on(fill));
        INFO(name(static_cast<Stage>(i)) << " wave " << wave);
        CHECK((std::max(bar, text) + 0.05) / (std::min(bar, text) + 0.05) >= 3.5);
        CHECK(distance(lab(linear_rgb(fill)), lab(linear_rgb(theme_colors(theme).lane))) > 20);
      }
}

TEST_CASE("neighbouring waves differ, and no wave is the stage's own colour") {
  const Color stage = stage_color(Stage::kL1, Theme::kDark);
  CHECK(wave_color(stage, -1, Theme::kDark) == stage);
  CHECK(wave_color(stage, 0, Theme::kDark) == wave_color(stage, 2, Theme::kDark));
  CHECK(distance(lab(linear_rgb(wave_color(stage, 0, Theme::kDark))),
                 lab(linear_rgb(wave_color(stage, 1, Theme::kDark)))) > 15);
}

TEST_CASE("mixing and luminance agree with their definitions") {
  CHECK(mix(0xff000000, 0xffffffff, 0) == 0xff000000);
  CHECK(mix(0xff000000, 0xffffffff, 1) == 0xffffffff);
  CHECK(mix(0xff102030, 0xff304050, 0.5) == 0xff203040);
  CHECK(luminance(0xffffffff) == Approx(1));
  CHECK(luminance(0xff000000) == Approx(0));
  CHECK(with_alpha(0xff123456, 0.5) == 0x80123456);
}
