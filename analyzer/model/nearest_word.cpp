// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/nearest_word.h"

#include <algorithm>
#include <numeric>

namespace moescope {
namespace {

// Edits (insert, delete, replace) from one word to another.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  word = word.substr(0, 64);  // the cost is the product of the lengths
  return *std::min_element(known.begin(), known.end(),
                           [&](const std::string& a, const std::string& b) { return edits(word, a) < edits(word, b); });
}

}  // namespace moescope
