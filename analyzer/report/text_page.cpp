// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/text_page.h"

namespace moescope {
namespace {

constexpr std::size_t kIndent = 2;

}  // namespace

void TextPage::title(const std::string& name, const std::string& note) {
  text_ += "\n" + bold(name) + (note.empty() ? "" : "  " + dim(note)) + "\n";
}

void TextPage::line(const std::string& text) {
  text_ += std::string(kIndent, ' ') + text + "\n";
}

void TextPage::table(const TextTable& table) {
  text_ += table.render(kIndent);
}

void TextPage::table_without_header(const TextTable& table) {
  const std::string rendered = table.render(kIndent);
  text_ += rendered.substr(rendered.find('\n') + 1);
}

}  // namespace moescope
