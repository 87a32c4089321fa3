// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/report/json_writer.h"

namespace moescope {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}
std::size_t width(std::string_view text) {  // code points: close enough for names and units
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

// Three decimals below 10, two below 100, ...: always about four digits.
std::string digits(double value) {
  const double size = std::fabs(value);
  return size == 0 ? "0" : fmt::format("{:.{}f}", value, size < 10 ? 2 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header, std::size_t left) : left_(left) {
  rows_.push_back(std::move(header));
}

void TextTable::row(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::render(std::size_t indent) const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> used(columns, false);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(rows_[r][c]));
      if (r > 0 && !rows_[r][c].empty()) used[c] = true;
    }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    bool first = true;
    for (std::size_t c = 0; c < columns; ++c) {
      if (!used[c]) continue;
      if (!first) line += "  ";
      first = false;
      const std::string fill(widths[c] - width(row[c]), ' ');
      line += c < left_ ? row[c] + fill : fill + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string time_text(double ns) {
  const double size = std::fabs(ns);
  if (size < 1e3) return fmt::format("{:.0f} ns", ns);
  if (size < 1e6) return digits(ns / 1e3) + " us";
  if (size < 1e9) return digits(ns / 1e6) + " ms";
  return digits(ns / 1e9) + " s";
}

std::string percent_text(double fraction) {
  return fmt::format("{:.{}f} %", 100 * fraction, std::fabs(fraction) < 0.1 || fraction > 0.9 ? 2 : 1);
}

std::string number_text(double value) {
  const double size = std::fabs(value);
  if (size >= 1e7) return fmt::format("{:.3g}", value);
  if (value == std::round(value) || size >= 1000) {
    std::string text = fmt::format("{:.0f}", value);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
      text.insert(static_cast<std::size_t>(at), 1, ',');
    return text;
  }
  return size < 0.1 ? fmt::format("{:.2g}", value) : digits(value);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e6) return digits(bytes / 1e3) + " kB";
  if (bytes < 1e9) return digits(bytes / 1e6) + " MB";
  if (bytes < 1e12) return digits(bytes / 1e9) + " GB";
  return digits(bytes / 1e12) + " TB";
}

std::string name_text(std::string_view name, std::size_t most) {
  std::string text = valid_utf8(name);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (width(text) <= most) return text;
  const std::size_t keep = (most - 3) / 2;
  const auto cut = [&text](std::size_t characters) {  // byte offset after so many characters
    std::size_t at = 0;
    for (std::size_t seen = 0; at < text.size(); ++at)
      if (!continues(text[at]) && seen++ == characters) break;
    return at;
  };
  return text.substr(0, cut(most - 3 - keep)) + "..." + text.substr(cut(width(text) - keep));
}

}  // namespace moescope
