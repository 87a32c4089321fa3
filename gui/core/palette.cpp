// SPDX-License-Identifier: Apache-2.0
#include "gui/core/palette.h"

#include <algorithm>
#include <cmath>

namespace moescope::gui {
namespace {

constexpr ThemeColors kDark = {0xff16181d, 0xff1d2027, 0xff22262e, 0xff30353f, 0xffe8eaee,
                               0xff9aa1ad, 0xffffffff, 0xff8ab4ff, 0xffffc857, 0xff101216};
constexpr ThemeColors kLight = {0xffffffff, 0xfff5f6f8, 0xffeceef2, 0xffd9dde4, 0xff1c2026,
                                0xff5f6773, 0xff000000, 0xff1f5fd0, 0xff9a5b00, 0xffffffff};

struct StageTone {
  Color dark, light;
};
StageTone tone(Stage stage) {
  switch (stage) {
    case Stage::kDISPATCH:
      return {0xff5c93f0, 0xff2c63c8};
    case Stage::kL1:
      return {0xfff0932b, 0xffe9861a};
    case Stage::kACT:
      return {0xfffdf08c, 0xfff3df4a};
    case Stage::kL2:
      return {0xffdf5f3c, 0xffcf4a24};
    case Stage::kCOMBINE:
      return {0xff2ccf9f, 0xff12ab80};
    case Stage::kROUTER:
      return {0xffb9a58c, 0xffa48b6b};
    case Stage::kPERMUTE:
    case Stage::kUNPERMUTE:
      return {0xffa9876a, 0xff8f6b4d};
    case Stage::kSHARED_EXPERT:
      return {0xffd98cab, 0xffc76a92};
    case Stage::kATTENTION:
      return {0xffc9709f, 0xffb0558a};
    case Stage::kALLREDUCE:
      return {0xff8f8cf0, 0xff6c68d8};
    case Stage::kREDUCESCATTER:
      return {0xff7aa7f5, 0xff5584d8};
    case Stage::kALLGATHER:
      return {0xff6cc5e8, 0xff3fa4cc};
    case Stage::kALLTOALL:
    case Stage::kSENDRECV:
    case Stage::kBROADCAST:
    case Stage::kCOLLECTIVE:
      return {0xff74b8c9, 0xff4796aa};
    case Stage::kMEMCPY:
      return {0xff8d97a6, 0xff7c8696};
    case Stage::kOTHER:
      return {0xff848b97, 0xff8a919d};
    case Stage::kUNATTRIBUTED:
      return {0xff7d8492, 0xff9aa1ad};
  }
  return {0xff7d8492, 0xff9aa1ad};
}

double channel(Color color, int shift) {
  return static_cast<double>((color >> shift) & 0xffu);
}
Color clamp_channel(double value) {
  return static_cast<Color>(std::lround(std::clamp(value, 0.0, 255.0)));
}
double linear(double byte) {
  const double c = byte / 255;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

}  // namespace

const ThemeColors& theme_colors(Theme theme) {
  return theme == Theme::kDark ? kDark : kLight;
}

Color stage_color(Stage stage, Theme theme) {
  const StageTone both = tone(stage);
  return theme == Theme::kDark ? both.dark : both.light;
}

Color wave_color(Color stage, int wave, Theme theme) {
  if (wave < 0 || wave % 2 == 0) return stage;
  return theme == Theme::kDark ? mix(stage, 0xff000000, 0.30) : mix(stage, 0xff000000, 0.22);
}

Color mix(Color from, Color to, double share) {
  // Integers: a frame mixes a hundred thousand pixels.
  const auto part = static_cast<Color>(std::clamp(share, 0.0, 1.0) * 256 + 0.5);
  const auto channels = [part](Color a, Color b) { return (a * (256 - part) + b * part) >> 8; };
  const Color red_blue = channels(from & 0x00ff00ffu, to & 0x00ff00ffu) & 0x00ff00ffu;
  const Color green = channels((from >> 8) & 0xffu, (to >> 8) & 0xffu) << 8;
  return (from & 0xff000000u) | red_blue | green;
}

Color with_alpha(Color color, double alpha) {
  return (color & 0x00ffffffu) | clamp_channel(255 * alpha) << 24;
}

double luminance(Color color) {
  return 0.2126 * linear(channel(color, 16)) + 0.7152 * linear(channel(color, 8)) + 0.0722 * linear(channel(color, 0));
}

Color text_on(Color fill) {
  constexpr Color kInk = 0xff14161a, kPaper = 0xffffffff;
  const double lum = luminance(fill);
  const double on_ink = (lum + 0.05) / (luminance(kInk) + 0.05), on_paper = 1.05 / (lum + 0.05);
  constexpr double kReadable = 3.8;  // white on a saturated colour reads better than the ratio says
  return on_paper >= kReadable || on_paper > on_ink ? kPaper : kInk;
}

}  // namespace moescope::gui
