// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/rate.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace moescope::reference {
namespace {

// A number at the front of text, which loses it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

double take_prefix(std::string_view& text) {
  constexpr std::string_view kPrefixes = "kMGTP";
  const std::size_t found = text.empty() ? std::string_view::npos : kPrefixes.find(text.front());
  if (found == std::string_view::npos) return 1;
  text.remove_prefix(1);
  return std::pow(1000.0, static_cast<double>(found + 1));
}

}  // namespace

std::optional<double> parse_byte_rate(std::string_view text) {
  const std::optional<double> number = take_number(text);
  if (!number || !(*number > 0)) return std::nullopt;
  const double rate = *number * take_prefix(text);
  if (text == "B/s") return rate;
  if (text == "b/s") return rate / 8;
  return std::nullopt;
}

std::optional<double> parse_flop_rate(std::string_view text) {
  const std::optional<double> number = take_number(text);
  if (!number || !(*number > 0)) return std::nullopt;
  const double rate = *number * take_prefix(text);
  if (text.empty() || text == "FLOP/s" || text == "FLOPS") return rate;
  return std::nullopt;
}

std::optional<std::vector<double>> parse_list(std::string_view text, std::size_t size) {
  std::vector<double> values;
  for (;;) {
    const std::optional<double> number = take_number(text);
    if (!number || !(*number >= 0)) return std::nullopt;
    values.push_back(*number);
    if (text.empty()) break;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  if (size != 0 && values.size() != size) return std::nullopt;
  return values;
}

std::string format_byte_rate(double bytes_per_second) {
  return fmt::format("{:g}GB/s", bytes_per_second / 1e9);
}

}  // namespace moescope::reference
