// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/group_kind.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace moescope {
namespace {

std::optional<GroupKind> kind_of(const std::string& word) {
  struct Row {
    std::string_view word;
    GroupKind kind;
  };
  static constexpr Row kRows[] = {
      {"ep", GroupKind::kEP},     {"expert", GroupKind::kEP},  {"moe", GroupKind::kEP},  {"tp", GroupKind::kTP},
      {"tensor", GroupKind::kTP}, {"dp", GroupKind::kDP},      {"data", GroupKind::kDP}, {"fsdp", GroupKind::kDP},
      {"hsdp", GroupKind::kDP},   {"ddp", GroupKind::kDP},     {"pp", GroupKind::kPP},   {"pipeline", GroupKind::kPP},
      {"cp", GroupKind::kCP},     {"context", GroupKind::kCP},
  };
  for (const Row& row : kRows)
    if (row.word == word) return row.kind;
  return std::nullopt;
}

}  // namespace

GroupKind group_kind(std::string_view description) {
  bool expert = false;
  std::optional<GroupKind> kind;
  for (std::size_t at = 0; at < description.size();) {
    std::string word;
    for (; at < description.size() && std::isalpha(static_cast<unsigned char>(description[at])); ++at)
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(description[at]))));
    if (word.empty()) {
      ++at;
      continue;
    }
    if (word == "with") break;  // DATA_PARALLEL_GROUP_WITH_CP: still the data-parallel group
    const auto found = kind_of(word);
    if (!found) continue;
    if (*found == GroupKind::kEP) {
      expert = true;
    } else if (kind && *kind != *found) {
      return GroupKind::kUNKNOWN;
    } else {
      kind = found;
    }
  }
  if (kind) return *kind;
  return expert ? GroupKind::kEP : GroupKind::kUNKNOWN;
}

}  // namespace moescope
