// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/collective_match.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace moescope {
namespace {

struct Call {
  std::size_t row = 0;
  std::int64_t sequence = -1;
};
// What can belong together. NCCL numbers the calls of each operation of a communicator by itself, so the operation
// counts.
struct Kind {
  std::vector<std::int32_t> ranks;  // of the group
  std::string group;                // its name where its ranks are not known; both empty: nobody said, so all ranks
  NameId op;
  Stage stage = Stage::kUNATTRIBUTED;
  auto operator<=>(const Kind&) const = default;
};
using Calls = std::map<std::size_t, std::vector<Call>>;  // by device

const Collective* collective_of(const Trace& trace, std::size_t row) {
  const auto found = std::lower_bound(
      trace.collectives.begin(), trace.collectives.end(), row, [](const Collective& one, std::size_t wanted) {
        return static_cast<std::uint64_t>(one.span) < static_cast<std::uint64_t>(wanted);
      });
  return found != trace.collectives.end() && found->span == static_cast<std::int64_t>(row) ? &*found : nullptr;
}

Kind kind_of(const Trace& trace, const Collective* call, Stage stage) {
  Kind kind;
  kind.stage = stage;
  if (call == nullptr) return kind;
  kind.op = call->op;
  if (call->comm_group < 0) return kind;
  const CommGroup& group = trace.comm_groups[static_cast<std::size_t>(call->comm_group)];
  kind.ranks = group.ranks;
  std::sort(kind.ranks.begin(), kind.ranks.end());
  if (kind.ranks.empty()) kind.group = group.name;
  return kind;
}

using Instances = std::map<std::int64_t, CollectiveInstance>;  // by sequence, or by ordinal of the reference device

bool numbered(const Calls& calls) {
  return std::all_of(calls.begin(), calls.end(), [](const auto& device) {
    std::set<std::int64_t> seen;
    return std::all_of(device.second.begin(), device.second.end(),
                       [&](const Call& call) { return call.sequence >= 0 && seen.insert(call.sequence).second; });
  });
}

// Pairs (index of a, index of b) in order, of calls that were at work at the same time: both of one clock. Nobody
// leaves a collective before the last has come, so what belongs together overlaps; what has no partner is passed over.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
Pairs overlapping(const SpanTable& spans, const std::vector<Call>& a, const std::vector<Call>& b) {
  Pairs pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Ns a_end = spans.end(a[i].row), b_end = spans.end(b[j].row);
    if (spans.start[a[i].row] <= b_end && spans.start[b[j].row] <= a_end)
      pairs.emplace_back(i++, j++);
    else if (a_end < b_end)
      ++i;
    else
      ++j;
  }
  return pairs;
}
Pairs in_order(std::size_t count) {
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) pairs.emplace_back(i, i);
  return pairs;
}
// On one clock: the n-th with the n-th where as many of these overlap as of any pairs; kernels that don't wait for each
// other need not.
Pairs pairs_on_one_clock(const SpanTable& spans, const std::vector<Call>& a, const std::vector<Call>& b) {
  Pairs pairs = overlapping(spans, a, b);
  if (a.size() != b.size()) return pairs;
  std::size_t together = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    together += spans.start[a[i].row] <= spans.end(b[i].row) && spans.start[b[i].row] <= spans.end(a[i].row) ? 1 : 0;
  const bool enough = static_cast<double>(together) >= kFewestTogether * static_cast<double>(a.size());
  return enough && together >= pairs.size() ? in_order(a.size()) : pairs;
}

void match(const Trace& trace, const Selection& selection, Stage stage, const Calls& calls, CollectiveMatch& result) {
  if (calls.size() < 2) return;  // one rank of the group is in the record: nothing to hold it against
  const std::string what = std::string(name(stage));
  Instances instances;
  const auto add = [&](std::int64_t key, std::size_t device, const Call& call) {
    CollectiveInstance& instance = instances[key];
    instance.stage = stage;
    instance.parts.push_back({device, call.row});
  };
  if (numbered(calls)) {
    for (const auto& [device, list] : calls)
      for (const Call& call : list) add(call.sequence, device, call);
  } else {
    // The one that saw most, so that nobody's partner is missing there.
    const auto reference = std::max_element(
        calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const std::vector<Call>& most = reference->second;
    std::size_t without = 0;
    for (const auto& [device, list] : calls) {
      Pairs pairs;
      if (selection.devices[device].clock == selection.devices[reference->first].clock)
        pairs = pairs_on_one_clock(trace.spans, most, list);
      else if (list.size() == most.size())
        pairs = in_order(list.size());
      const bool enough = static_cast<double>(pairs.size()) >= kFewestTogether * static_cast<double>(list.size());
      if (!enough) ++without;
      if (enough)
        for (const auto& [i, j] : pairs) add(static_cast<std::int64_t>(i), device, list[j]);
    }
    if (without > 0)
      result.unmatched.push_back(what + ": neither sequence numbers nor times tell which calls of " +
                                 std::to_string(without) + " of " + std::to_string(calls.size()) +
                                 " ranks belong to which of rank " +
                                 std::to_string(selection.devices[reference->first].device.rank.value));
  }
  for (auto& [key, instance] : instances)
    if (instance.parts.size() >= 2) result.instances.push_back(std::move(instance));
}

}  // namespace

CollectiveMatch match_collectives(const Trace& trace, const Attribution& attribution, const Selection& selection) {
  std::map<Kind, Calls> kinds;
  for (std::size_t device = 0; device < selection.devices.size(); ++device)
    for (const std::size_t row : selection.devices[device].rows) {
      if (attribution.activity[row] != ActivityClass::kCommunication || is_control(attribution.part[row])) continue;
      if (trace.context_of(row).kind == SpanKind::kCOPY) continue;
      const Collective* call = collective_of(trace, row);
      kinds[kind_of(trace, call, attribution.stage[row])][device].push_back({row, call ? call->sequence : -1});
    }
  CollectiveMatch result;
  for (auto& [kind, calls] : kinds) {
    for (auto& [device, list] : calls)
      std::stable_sort(list.begin(), list.end(), [&](const Call& a, const Call& b) {
        return trace.spans.start[a.row] < trace.spans.start[b.row];
      });
    match(trace, selection, kind.stage, calls, result);
  }
  std::stable_sort(result.instances.begin(), result.instances.end(),
                   [](const CollectiveInstance& a, const CollectiveInstance& b) { return a.stage < b.stage; });
  return result;
}

}  // namespace moescope
