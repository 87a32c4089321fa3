// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nsys_strings.h"

#include <algorithm>

namespace moescope {
namespace {

constexpr std::int64_t kDenseIds = std::int64_t{1} << 24;  // 64 MiB of array at most

}  // namespace

bool NsysStrings::find(std::int64_t id, std::string* text) {
  if (!file_.has("StringIds", "id") || !file_.has("StringIds", "value")) return false;
  if (!file_.strings_are_keyed()) {
    if (!read_all_)
      for (NsysRows rows(file_, "StringIds", {{"id"}, {"value"}}); rows.next();)
        if (const auto key = rows.integer(0)) all_.try_emplace(*key, rows.text(1));
    read_all_ = true;
    const auto found = all_.find(id);
    if (found == all_.end()) return false;
    *text = found->second;
    return true;
  }
  if (!prepared_ && !file_.database().prepare("SELECT value FROM StringIds WHERE id = ?", &statement_)) return false;
  prepared_ = true;
  statement_.reset();
  statement_.bind(1, id);
  const bool found = statement_.step() && statement_.kind(0) != trace::Statement::Kind::kNull;
  if (found) *text = statement_.text(0);
  if (!statement_.ok()) file_.damaged("table StringIds, id " + std::to_string(id));
  return found;
}

NameId NsysStrings::look_up(std::int64_t id) {
  if (const auto known = sparse_.find(id); known != sparse_.end()) return NameId(known->second);
  std::string text;
  if (!find(id, &text)) {
    ++dangling_;
    text = "string " + std::to_string(id);
  }
  const NameId name = builder_.name(mend_ ? mend_(std::move(text)) : text);
  if (id < 0 || id >= kDenseIds) {
    sparse_.emplace(id, name.value);
  } else {
    const auto at = static_cast<std::size_t>(id);
    if (at >= dense_.size()) dense_.resize(std::max(at + 1, dense_.size() * 2), -1);
    dense_[at] = name.value;
  }
  return name;
}

std::string NsysStrings::text(std::int64_t id) {
  std::string text;
  find(id, &text);
  return text;
}

}  // namespace moescope
