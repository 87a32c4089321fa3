#pragma once
// SPDX-License-Identifier: Apache-2.0
// The collectives of one Kineto file: from the arguments of kernels, else from the names of NCCL's. What the file may
// say late (its rank, its groups) is settled in finish().

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/import/kineto_event.h"
#include "analyzer/import/nccl_kernel.h"
#include "analyzer/model/trace.h"

namespace moescope {

class KinetoCollectives {
 public:
  KinetoCollectives(const std::string& path, TraceBuilder& builder) : path_(path), builder_(builder) {}
  // Right after the kernel's span() call. A kernel that is no collective costs one look-up by its name.
  void kernel(const KinetoEvent& event, NameId name);
  // said: the file itself names its rank; only then is a rank's place in a group known.
  void finish(RankId rank, bool said, const std::vector<KinetoGroup>& groups);

 private:
  struct Group {
    std::string name, description, ranks_text;
    std::int64_t size = -1, first_rank = -1, rank_stride = -1;
    friend bool operator==(const Group&, const Group&) = default;
  };
  struct Seen {
    Collective collective;
    std::int32_t group = -1;  // index into groups_
    bool has_splits = false;
    std::vector<std::int64_t> in_splits, out_splits;  // rows, as written
  };
  const std::optional<NcclKernel>& by_name(NameId name, std::string_view text);
  std::int32_t group_of(const KinetoCollectiveArgs& args);
  std::vector<std::int64_t> splits_of(std::string_view text);
  std::vector<std::int32_t> ranks_of(const Group& group, const std::vector<KinetoGroup>& said) const;
  std::int32_t group_index(CommGroup group);
  void settle(Seen& seen, RankId rank, bool said);

  const std::string& path_;
  TraceBuilder& builder_;
  std::vector<std::optional<NcclKernel>> known_;  // by NameId
  std::vector<char> looked_at_;                   // by NameId
  std::vector<Group> groups_;
  std::vector<Seen> seen_;
  std::size_t with_sizes_ = 0, cut_splits_ = 0;
};

}  // namespace moescope
