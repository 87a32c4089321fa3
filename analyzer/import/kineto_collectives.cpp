// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/kineto_collectives.h"

#include <algorithm>

#include "analyzer/import/collective_args.h"
#include "analyzer/import/group_kind.h"
#include "analyzer/import/integer_list.h"

namespace moescope {
namespace {

constexpr std::int64_t kMostRanks = 1 << 24;

std::int32_t small(std::int64_t value) {
  return value >= 0 && value < kMostRanks ? static_cast<std::int32_t>(value) : -1;
}

std::int64_t not_negative(std::int64_t value) {
  return value >= 0 ? value : -1;
}

}  // namespace

const std::optional<NcclKernel>& KinetoCollectives::by_name(NameId name, std::string_view text) {
  const auto id = static_cast<std::size_t>(name.value);
  if (id >= looked_at_.size()) {
    looked_at_.resize(id + 1 + id / 2, 0);
    known_.resize(looked_at_.size());
  }
  if (!looked_at_[id]) {
    looked_at_[id] = 1;
    known_[id] = nccl_kernel(text);
  }
  return known_[id];
}

std::int32_t KinetoCollectives::group_of(const KinetoCollectiveArgs& args) {
  if (args.group_name.empty() && args.group_ranks.empty()) return -1;
  const Group group{std::string(args.group_name),
                    std::string(args.group_description),
                    std::string(args.group_ranks),
                    args.group_size,
                    args.first_rank,
                    args.rank_stride};
  const auto found = std::find(groups_.rbegin(), groups_.rend(), group);  // the last one is the likeliest
  if (found != groups_.rend()) return static_cast<std::int32_t>(groups_.rend() - found) - 1;
  groups_.push_back(group);
  return static_cast<std::int32_t>(groups_.size()) - 1;
}

// "[]": the parts are even.
std::vector<std::int64_t> KinetoCollectives::splits_of(std::string_view text) {
  auto list = integer_list(text);
  if (!list) return {};
  cut_splits_ += list->cut;
  return list->cut ? std::vector<std::int64_t>{} : std::move(list->values);
}

void KinetoCollectives::kernel(const KinetoEvent& event, NameId name) {
  const KinetoCollectiveArgs& args = event.collective;
  const auto& by_name = this->by_name(name, event.name);
  if (args.name.empty() && !by_name) return;
  Seen seen;
  Collective& one = seen.collective;
  one.span = static_cast<std::int64_t>(builder_.trace().spans.size()) - 1;
  if (by_name) {
    one.algorithm = by_name->algorithm;
    one.protocol = by_name->protocol;
    if (args.name.empty() && !by_name->op.empty()) one.op = builder_.name(by_name->op);
  }
  if (!args.name.empty()) {
    one.op = builder_.name(args.name);
    if (!args.element_type.empty()) one.element_type = builder_.name(args.element_type);
    one.elements_in = not_negative(args.elements_in);
    one.elements_out = not_negative(args.elements_out);
    one.bytes_in = buffer_bytes(args.elements_in, args.element_type);
    one.bytes_out = buffer_bytes(args.elements_out, args.element_type);
    one.group_size = small(args.group_size);
    one.sequence = not_negative(args.sequence);
    one.root_or_peer = args.name == "recv" ? small(args.source) : args.name == "send" ? small(args.destination) : -1;
    seen.group = group_of(args);
    seen.has_splits = !args.in_splits.empty() && args.in_splits != "[]";
    seen.in_splits = splits_of(args.in_splits);
    seen.out_splits = splits_of(args.out_splits);
    with_sizes_ += one.bytes_in >= 0 || one.bytes_out >= 0;
  }
  seen_.push_back(std::move(seen));
}

// A long rank list is cut in the arguments; distributedInfo or the even spacing of its ranks may still give it whole.
std::vector<std::int32_t> KinetoCollectives::ranks_of(const Group& group, const std::vector<KinetoGroup>& said) const {
  const auto list = integer_list<std::int32_t>(group.ranks_text);
  if (list && !list->cut && !list->values.empty()) return list->values;
  for (const KinetoGroup& one : said)
    if (one.name == group.name && static_cast<std::int64_t>(one.ranks.size()) == group.size) return one.ranks;
  if (group.size < 1 || group.size >= kMostRanks || group.first_rank < 0 || group.rank_stride < 1 ||
      group.first_rank + group.rank_stride > kMostRanks || group.rank_stride * group.size > kMostRanks)
    return {};
  std::vector<std::int32_t> ranks;
  for (std::int64_t i = 0; i < group.size; ++i)
    ranks.push_back(static_cast<std::int32_t>(group.first_rank + i * group.rank_stride));
  const bool agrees = !list || (list->values.size() <= ranks.size() &&
                                std::equal(list->values.begin(), list->values.end(), ranks.begin()));
  return agrees ? ranks : std::vector<std::int32_t>{};
}

// Files of the other ranks speak of the same groups.
std::int32_t KinetoCollectives::group_index(CommGroup group) {
  auto& known = builder_.trace().comm_groups;
  const auto found = std::find_if(known.begin(), known.end(), [&group](const CommGroup& one) {
    return one.name == group.name && one.ranks == group.ranks && one.kind == group.kind;
  });
  if (found != known.end()) return static_cast<std::int32_t>(found - known.begin());
  known.push_back(std::move(group));
  return static_cast<std::int32_t>(known.size()) - 1;
}

void KinetoCollectives::settle(Seen& seen, RankId rank, bool said) {
  Collective& one = seen.collective;
  one.rank = rank;
  const Trace& trace = builder_.trace();
  const auto text = [&trace](NameId id) {
    return id.valid() ? std::string_view(trace.names[static_cast<std::size_t>(id.value)]) : std::string_view{};
  };
  CollectiveArgs args;
  args.name = text(one.op);
  args.element_type = text(one.element_type);
  args.elements_in = one.elements_in;
  args.elements_out = one.elements_out;
  args.group_size = one.group_size;
  args.has_splits = seen.has_splits;
  if (one.comm_group >= 0 && said) {
    const auto& ranks = trace.comm_groups[static_cast<std::size_t>(one.comm_group)].ranks;
    const auto found = std::find(ranks.begin(), ranks.end(), rank.value);
    if (found != ranks.end()) args.position = found - ranks.begin();
  }
  one.in_splits = split_elements(seen.in_splits, one.group_size, one.elements_in);
  one.out_splits = split_elements(seen.out_splits, one.group_size, one.elements_out);
  args.in_splits = std::move(seen.in_splits);
  const std::int64_t bytes = collective_wire_bytes(args);
  if (bytes >= 0) builder_.trace().spans.bytes[static_cast<std::size_t>(one.span)] = bytes;
  builder_.collective(std::move(one));
}

void KinetoCollectives::finish(RankId rank, bool said, const std::vector<KinetoGroup>& groups) {
  std::vector<std::int32_t> index;
  for (const KinetoGroup& one : groups)
    if (!one.ranks.empty()) group_index({group_kind(one.description), one.name, one.ranks});
  for (const Group& one : groups_)
    index.push_back(group_index({group_kind(one.description), one.name, ranks_of(one, groups)}));
  for (Seen& seen : seen_) {
    if (seen.group >= 0) seen.collective.comm_group = index[static_cast<std::size_t>(seen.group)];
    settle(seen, rank, said);
  }
  auto& diagnostics = builder_.trace().diagnostics;
  if (!seen_.empty() && with_sizes_ == 0)
    diagnostics.push_back({"info", "collectives_without_sizes", static_cast<std::int64_t>(seen_.size()),
                           path_ + ": its collectives carry no message sizes, so bytes and bandwidth can't be told"});
  if (cut_splits_ > 0)
    diagnostics.push_back({"info", "split_lists_cut", static_cast<std::int64_t>(cut_splits_),
                           path_ + ": lists of split sizes are cut off in the trace, so their bytes are unknown"});
}

}  // namespace moescope
