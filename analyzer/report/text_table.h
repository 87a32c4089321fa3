#pragma once
// SPDX-License-Identifier: Apache-2.0
// Aligned columns for a terminal, and numbers with units short enough to read. First column left, others right.

#include <string>
#include <string_view>
#include <vector>

namespace moescope {

class TextTable {
 public:
  // left: how many leading columns hold words.
  explicit TextTable(std::vector<std::string> header, std::size_t left = 1);
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }
  // Each line indented by indent spaces. Columns in which no row has anything are left out.
  std::string render(std::size_t indent) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
  std::size_t left_;
};

// "4.19 ms", "113.44 ms", "31 ns", "12.5 s"; three or four significant digits.
std::string time_text(double ns);
std::string percent_text(double fraction);  // "96.31 %"
std::string number_text(double value);      // "2,048", "0.93", "1.2e12"
std::string bytes_text(double bytes);       // "3.07 MB", 1e6 bytes
// One line, valid UTF-8, control characters as '?', at most `most` characters with "..." in the middle.
std::string name_text(std::string_view name, std::size_t most = 44);

}  // namespace moescope
