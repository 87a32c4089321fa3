// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/pattern_parser.h"

#include <cctype>
#include <stdexcept>

namespace moescope {
namespace {

constexpr std::size_t kLongestPattern = 8192;
constexpr int kDeepest = 50;      // nested groups
constexpr int kMostRepeats = 64;  // in {m,n}: each is a copy in the program

void add_word(NamePattern::Set& set) {
  for (int c = 0; c < 256; ++c)
    if (c == '_' || (c < 128 && std::isalnum(c))) set.add(static_cast<unsigned char>(c));
}
void add_range(NamePattern::Set& set, unsigned char first, unsigned char last) {
  for (int c = first; c <= last; ++c) set.add(static_cast<unsigned char>(c));
}
void invert(NamePattern::Set& set) {
  for (auto& bits : set.bits) bits = ~bits;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text.size() > kLongestPattern) fail("the pattern is longer than 8 KiB");
  }

  PatternNode parse() {
    PatternNode node = choice(0);
    if (at_ < text_.size()) fail("a ) without its (");
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("position " + std::to_string(at_) + ": " + what);
  }
  bool more() const { return at_ < text_.size(); }
  bool take(char c) {
    if (!more() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  PatternNode choice(int depth) {
    if (depth > kDeepest) fail("groups are nested too deeply");
    PatternNode node = sequence(depth);
    if (!more() || text_[at_] != '|') return node;
    PatternNode all;
    all.kind = PatternNode::Kind::kChoice;
    all.children.push_back(std::move(node));
    while (take('|')) all.children.push_back(sequence(depth));
    return all;
  }

  PatternNode sequence(int depth) {
    PatternNode node;
    while (more() && text_[at_] != '|' && text_[at_] != ')') node.children.push_back(repeated(depth));
    return node;
  }

  PatternNode repeated(int depth) {
    PatternNode node = single(depth);
    for (bool first = true;; first = false) {
      int least = 0, most = -1;
      if (take('*')) {
      } else if (take('+')) {
        least = 1;
      } else if (take('?')) {
        most = 1;
      } else if (more() && text_[at_] == '{') {
        ++at_;
        least = number();
        most = least;
        if (take(',')) most = more() && text_[at_] != '}' ? number() : -1;
        if (!take('}')) fail("a } was expected");
        if (most >= 0 && most < least) fail("{m,n} with n below m");
      } else {
        return node;
      }
      if (!first) fail("a repeat of a repeat");
      take('?');  // lazy: the same for whether it matches
      PatternNode repeat;
      repeat.kind = PatternNode::Kind::kRepeat;
      repeat.least = least;
      repeat.most = most;
      repeat.children.push_back(std::move(node));
      node = std::move(repeat);
    }
  }

  int number() {
    int value = 0;
    if (!more() || !std::isdigit(static_cast<unsigned char>(text_[at_]))) fail("a number was expected");
    while (more() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      value = value * 10 + (text_[at_++] - '0');
      if (value > kMostRepeats) fail("more than 64 repeats");
    }
    return value;
  }

  PatternNode single(int depth) {
    const char c = text_[at_++];
    switch (c) {
      case '(': {
        if (take('?') && !take(':')) fail("only (?: is known");
        PatternNode node = choice(depth + 1);
        if (!take(')')) fail("a ) was expected");
        return node;
      }
      case '[':
        return set_of(brackets());
      case '.': {
        NamePattern::Set any;
        any.add('\n');
        invert(any);
        return set_of(any);
      }
      case '^':
        return anchor(PatternNode::Kind::kBegin);
      case '$':
        return anchor(PatternNode::Kind::kEnd);
      case '\\':
        return escaped();
      case '*':
      case '+':
      case '?':
      case '{':
        --at_;
        fail("nothing to repeat");
      default:
        return byte(c);
    }
  }

  static PatternNode byte(char c) {
    PatternNode node;
    node.kind = PatternNode::Kind::kByte;
    node.byte = static_cast<unsigned char>(c);
    return node;
  }
  static PatternNode set_of(const NamePattern::Set& set) {
    PatternNode node;
    node.kind = PatternNode::Kind::kSet;
    node.set = set;
    return node;
  }
  static PatternNode anchor(PatternNode::Kind kind) {
    PatternNode node;
    node.kind = kind;
    return node;
  }

  // A class letter after a backslash; false where it is none.
  static bool add_class(char c, NamePattern::Set& set) {
    switch (c) {
      case 'w':
        add_word(set);
        return true;
      case 'd':
        add_range(set, '0', '9');
        return true;
      case 's':
        for (const char space : {' ', '\t', '\n', '\r', '\f', '\v'}) set.add(static_cast<unsigned char>(space));
        return true;
      default:
        return false;
    }
  }

  PatternNode escaped() {
    if (!more()) fail("a lone backslash");
    const char c = text_[at_++];
    if (c == 'b') return anchor(PatternNode::Kind::kWordEdge);
    NamePattern::Set set;
    if (add_class(c, set)) return set_of(set);
    if (std::isalnum(static_cast<unsigned char>(c))) fail(std::string("unknown escape \\") + c);
    return byte(c);
  }

  NamePattern::Set brackets() {
    NamePattern::Set set;
    const bool inverted = take('^');
    for (bool first = true;; first = false) {
      if (!more()) fail("a ] was expected");
      char c = text_[at_++];
      if (c == ']' && !first) break;
      if (c == '\\') {
        if (!more()) fail("a lone backslash");
        c = text_[at_++];
        if (add_class(c, set)) continue;
        if (std::isalnum(static_cast<unsigned char>(c))) fail(std::string("unknown escape \\") + c);
      }
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        const char last = text_[at_ + 1];
        if (last == '\\' || static_cast<unsigned char>(last) < static_cast<unsigned char>(c)) fail("a bad range");
        at_ += 2;
        add_range(set, static_cast<unsigned char>(c), static_cast<unsigned char>(last));
      } else {
        set.add(static_cast<unsigned char>(c));
      }
    }
    if (inverted) invert(set);
    return set;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

PatternNode parse_pattern(std::string_view pattern) {
  return Parser(pattern).parse();
}

}  // namespace moescope
