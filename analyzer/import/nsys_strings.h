#pragma once
// SPDX-License-Identifier: Apache-2.0
// StringIds of one export as names of the trace. Large exports hold millions of strings and name few of them, so each
// is looked up when first asked for; after that an id costs one array access.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/import/nsys_file.h"
#include "analyzer/model/trace.h"

namespace moescope {

class NsysStrings {
 public:
  using Mend = std::string (*)(std::string);
  // mend: what to make of a text before it becomes a name.
  NsysStrings(NsysFile& file, TraceBuilder& builder, Mend mend = nullptr)
      : file_(file), builder_(builder), mend_(mend) {}
  // What the id stands for; "string N" where the file doesn't have it, which is counted.
  NameId name(std::int64_t id) {
    if (id >= 0 && static_cast<std::size_t>(id) < dense_.size() && dense_[static_cast<std::size_t>(id)] >= 0)
      return NameId(dense_[static_cast<std::size_t>(id)]);
    return look_up(id);
  }
  std::string text(std::int64_t id);  // empty where the file doesn't have it
  std::uint64_t dangling() const { return dangling_; }

 private:
  NameId look_up(std::int64_t id);
  bool find(std::int64_t id, std::string* text);
  NsysFile& file_;
  TraceBuilder& builder_;
  Mend mend_;
  std::vector<std::int32_t> dense_;                        // id to NameId, -1 not asked for yet
  std::unordered_map<std::int64_t, std::int32_t> sparse_;  // ids too high for that
  std::unordered_map<std::int64_t, std::string> all_;      // of a StringIds without a key
  bool read_all_ = false;
  trace::Statement statement_;
  bool prepared_ = false;
  std::uint64_t dangling_ = 0;
};

}  // namespace moescope
