// SPDX-License-Identifier: Apache-2.0
#include "gui/core/time_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace moescope::gui {
namespace {

// Three significant digits, and never a fraction of what can't be divided.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 9.995) return fmt::format("{:.2f}", value);
  if (size < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string duration_text(double ns) {
  const double size = std::abs(ns);
  if (size < 999.5) return fmt::format("{:.0f} ns", ns);
  if (size < 999.5e3) return three_digits(ns / 1e3) + " µs";
  if (size < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
}

std::string amount_text(double value, std::string_view unit) {
  static constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) value /= 1000, ++prefix;
  const bool whole = prefix == 0 && value == std::floor(value);
  return (whole ? fmt::format("{:.0f}", value) : three_digits(value)) + " " + kPrefixes[prefix] + std::string(unit);
}

std::string percent_text(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::optional<double> parse_time(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty() || unit == "ms") return value * 1e6;
  if (unit == "us" || unit == "µs") return value * 1e3;
  if (unit == "ns") return value;
  if (unit == "s") return value * 1e9;
  return std::nullopt;
}

std::optional<TimeRange> parse_time_range(std::string_view text, double length_ns) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  TimeRange range{0, length_ns};
  if (colon > 0) {
    const auto begin = parse_time(text.substr(0, colon));
    if (!begin) return std::nullopt;
    range.begin = *begin;
  }
  if (colon + 1 < text.size()) {
    const auto end = parse_time(text.substr(colon + 1));
    if (!end) return std::nullopt;
    range.end = *end;
  }
  if (!(range.begin < range.end)) return std::nullopt;
  return range;
}

}  // namespace moescope::gui
