#pragma once
// SPDX-License-Identifier: Apache-2.0
// A report's text as it grows: titles, indented lines and tables, coloured where the reader's terminal wants it.

#include <string>

#include "analyzer/report/report.h"
#include "analyzer/report/text_table.h"

namespace moescope {

class TextPage {
 public:
  explicit TextPage(const TextStyle& style) : color_(style.color) {}
  std::string bold(const std::string& text) const { return painted("\033[1m", text); }
  std::string dim(const std::string& text) const { return painted("\033[2m", text); }
  std::string warn(const std::string& text) const { return painted("\033[33m", text); }

  void headline(const std::string& text) { text_ += bold(text) + "\n"; }
  void title(const std::string& name, const std::string& note = "");
  void line(const std::string& text);
  void table(const TextTable& table);
  void table_without_header(const TextTable& table);
  std::string take() { return std::move(text_); }

 private:
  std::string painted(const char* code, const std::string& text) const {
    return color_ ? code + text + "\033[0m" : text;
  }
  bool color_;
  std::string text_;
};

}  // namespace moescope
