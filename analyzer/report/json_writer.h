#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes JSON that any parser takes: valid UTF-8 whatever the names hold, numbers that read back as the same double,
// never NaN. Two spaces an indent level; an object or array opened as a line stays on one line.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace moescope {

// text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

class JsonWriter {
 public:
  enum class Layout { kBlock, kLine };
  void begin_object(Layout layout = Layout::kBlock) { open('{', layout); }
  void end_object() { close('}'); }
  void begin_array(Layout layout = Layout::kBlock) { open('[', layout); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);  // throws std::logic_error where it is not finite; whole numbers print without a point
  void value(std::int64_t number);
  void value(int number) { value(static_cast<std::int64_t>(number)); }
  void value(std::size_t number) { value(static_cast<std::int64_t>(number)); }
  void value(bool truth);
  template <class T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  // The finished text, with a final newline.
  std::string take();

 private:
  struct Level {
    bool line = false;  // on one line
    bool empty = true;
  };
  void open(char bracket, Layout layout);
  void close(char bracket);
  void separate();  // comma, line break and indent before a value or key
  void quoted(std::string_view text);
  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace moescope
