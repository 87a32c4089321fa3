// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <stdexcept>

namespace moescope {
namespace {

// Length of the valid UTF-8 sequence at text[at], 0 where there is none. Overlong forms, surrogates and what lies
// beyond U+10FFFF are not valid.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return at + i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      valid += "\xEF\xBF\xBD";
      ++at;
    } else {
      valid += text.substr(at, length);
      at += length;
    }
  }
  return valid;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.line ? ", " : ",";
  if (!level.line) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
  level.empty = false;
}

void JsonWriter::open(char bracket, Layout layout) {
  separate();
  out_ += bracket;
  const bool inside_line = !levels_.empty() && levels_.back().line;
  levels_.push_back({inside_line || layout == Layout::kLine, true});
}

void JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.line && !level.empty) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
  out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  separate();
  quoted(name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::quoted(std::string_view text) {
  out_ += '"';
  for (const char c : valid_utf8(text)) {
    if (c == '"' || c == '\\')
      (out_ += '\\') += c;
    else if (c == '\n')
      out_ += "\\n";
    else if (c == '\t')
      out_ += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned>(c));
    else
      out_ += c;
  }
  out_ += '"';
}

void JsonWriter::value(std::string_view text) {
  separate();
  quoted(text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) throw std::logic_error("a figure that is not finite reached the JSON report");
  separate();
  // Up to 2^53 a whole double is exactly that integer.
  if (number == std::trunc(number) && std::fabs(number) <= 9007199254740992.0)
    fmt::format_to(std::back_inserter(out_), "{}", static_cast<std::int64_t>(number));
  else
    fmt::format_to(std::back_inserter(out_), "{}", number);  // the shortest text that reads back as the same double
}

void JsonWriter::value(std::int64_t number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
}

void JsonWriter::value(bool truth) {
  separate();
  out_ += truth ? "true" : "false";
}

std::string JsonWriter::take() {
  out_ += '\n';
  return std::move(out_);
}

}  // namespace moescope
