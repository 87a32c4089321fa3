#pragma once
// SPDX-License-Identifier: Apache-2.0
// Formats that people have lying beside their traces and that no importer reads: named in the refusal, with what to do.

#include <optional>
#include <string>
#include <string_view>

namespace moescope {

struct ForeignFormat {
  std::string what, mend;
};

// By the first bytes, inflated; by the path's ending for formats whose bytes tell nothing. nullopt: not one of them.
std::optional<ForeignFormat> foreign_format(std::string_view head, std::string_view path);

}  // namespace moescope
