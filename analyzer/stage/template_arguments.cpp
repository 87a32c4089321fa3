// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/template_arguments.h"

#include <charconv>

namespace moescope {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

struct Literal {
  std::string_view type, value;  // type: what stood in parentheses before it, or empty
};
Literal literal(std::string_view text) {
  if (!text.starts_with('(')) return {"", text};
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) return {"", text};
  return {text.substr(1, close - 1), text.substr(close + 1)};
}

}  // namespace

TemplateArguments::TemplateArguments(std::string_view name, std::string_view function) {
  const std::size_t found = name.find(function);
  if (found == std::string_view::npos) return;
  std::size_t first = found + function.size();
  int depth = 0;
  for (std::size_t at = first; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    const bool closes = c == ')' || c == '>' || c == ']' || c == '}';
    if (depth == 0 && (c == ',' || c == '>')) {
      texts_.push_back(trimmed(name.substr(first, at - first)));
      first = at + 1;
      if (c == '>') {
        whole_ = true;
        return;
      }
    } else if (closes) {
      --depth;
    }
  }
}

std::optional<std::int64_t> TemplateArguments::number(std::size_t i) const {
  auto [type, value] = literal(text(i));
  if (type == "bool" || type == "float" || type == "double") return std::nullopt;
  while (value.ends_with('u') || value.ends_with('l')) value.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return number;
}

std::optional<bool> TemplateArguments::truth(std::size_t i) const {
  const auto [type, value] = literal(text(i));
  if (type == "bool" && (value == "0" || value == "1")) return value == "1";
  if (type.empty() && (value == "true" || value == "false")) return value == "true";
  return std::nullopt;
}

}  // namespace moescope
