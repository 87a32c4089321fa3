#pragma once
// SPDX-License-Identifier: Apache-2.0
// The template arguments of a kernel, as either demangler writes them: "8", "(int)8", "128u", "true", "(bool)1".

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace moescope {

class TemplateArguments {
 public:
  // Those of the first occurrence of function, whose text ends in '<'; none where it isn't there. A name that was cut
  // gives the arguments that are whole. The texts point into name.
  TemplateArguments(std::string_view name, std::string_view function);
  std::size_t size() const { return texts_.size(); }
  bool whole() const { return whole_; }  // the closing '>' was seen
  std::string_view text(std::size_t i) const { return i < texts_.size() ? texts_[i] : std::string_view(); }
  // nullopt: not there, or of another kind. An enum's value is a number too.
  std::optional<std::int64_t> number(std::size_t i) const;
  std::optional<bool> truth(std::size_t i) const;

 private:
  std::vector<std::string_view> texts_;
  bool whole_ = false;
};

}  // namespace moescope
