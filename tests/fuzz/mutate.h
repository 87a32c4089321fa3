#pragma once
// SPDX-License-Identifier: Apache-2.0
// Deterministic damage to bytes: the same seed gives the same inputs on every machine, so a failure can be run again.

#include <random>
#include <string>
#include <vector>

namespace moescope::test {

class Mutator {
 public:
  // tokens: texts that mean something to the format, spliced in now and then.
  Mutator(std::uint32_t seed, std::vector<std::string> tokens) : random_(seed), tokens_(std::move(tokens)) {}

  std::string mutate(std::string bytes) {
    for (std::size_t i = 0, changes = 1 + below(4); i < changes; ++i) change(bytes);
    return bytes;
  }
  std::string noise(std::size_t longest) {
    std::string bytes(below(longest + 1), '\0');
    for (char& c : bytes) c = static_cast<char>(below(256));
    return bytes;
  }
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(random_() % limit); }

 private:
  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size() + 1), length = 1 + below(below(4) == 0 ? 400 : 8);
    switch (below(8)) {
      case 0:  // one bit
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:  // one byte
        if (at < bytes.size()) bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size() + 1), length));
        break;
      case 4:
        bytes.resize(at);
        break;
      case 5:
        for (std::size_t i = at; i < bytes.size() && i < at + length; ++i) bytes[i] = static_cast<char>(below(256));
        break;
      default:
        if (!tokens_.empty()) bytes.insert(at, tokens_[below(tokens_.size())]);
        break;
    }
  }
  std::mt19937 random_;
  std::vector<std::string> tokens_;
};

}  // namespace moescope::test
