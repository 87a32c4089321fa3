// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/collective_match.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/model/parallel.h"

namespace moescope {
namespace {

using Call = CallLists::Call;
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

Kind kind_of(const Trace& trace, const CallLists::Saying& said) {
  Kind kind;
  kind.stage = said.stage;
  kind.op = said.op;
  if (said.comm_group < 0) return kind;
  const CommGroup& group = trace.comm_groups[static_cast<std::size_t>(said.comm_group)];
  kind.ranks = group.ranks;
  std::sort(kind.ranks.begin(), kind.ranks.end());
  if (kind.ranks.empty()) kind.group = group.name;
  return kind;
}

bool numbered(const Calls& calls) {
  return std::all_of(calls.begin(), calls.end(), [](const auto& device) {
    std::vector<std::int64_t> sequences;
    for (const Call& call : device.second) sequences.push_back(call.sequence);
    if (!std::is_sorted(sequences.begin(), sequences.end())) std::sort(sequences.begin(), sequences.end());
    return sequences.front() >= 0 && std::adjacent_find(sequences.begin(), sequences.end()) == sequences.end();
  });
}

// A call, and what it shares with those that belong to it: its sequence, or its ordinal on the reference device.
struct KeyedPart {
  std::int64_t key;
  MatchedPart part;
};

// Brings the parts of one key together, devices ascending; parts come device by device. Linear where keys lie close.
void group(std::vector<KeyedPart>& parts) {
  if (parts.empty()) return;
  const auto less = [](const KeyedPart& a, const KeyedPart& b) { return a.key < b.key; };
  const auto [low, high] = std::minmax_element(parts.begin(), parts.end(), less);
  const std::int64_t first = low->key, range = high->key - first;
  if (range > 4 * static_cast<std::int64_t>(parts.size())) {
    std::stable_sort(parts.begin(), parts.end(), less);
    return;
  }
  std::vector<std::size_t> at(static_cast<std::size_t>(range) + 2);
  for (const KeyedPart& one : parts) ++at[static_cast<std::size_t>(one.key - first) + 1];
  for (std::size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
  std::vector<KeyedPart> grouped(parts.size());
  for (const KeyedPart& one : parts) grouped[at[static_cast<std::size_t>(one.key - first)]++] = one;
  parts.swap(grouped);
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
  std::vector<KeyedPart> parts;
  const auto add = [&](std::int64_t key, std::size_t device, const Call& call) {
    parts.push_back({key, {device, call.row}});
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
  group(parts);
  for (std::size_t from = 0, to = 0; from < parts.size(); from = to) {
    while (to < parts.size() && parts[to].key == parts[from].key) ++to;
    if (to - from < 2) continue;
    result.instances.push_back({stage, result.parts.size(), to - from});
    for (std::size_t i = from; i < to; ++i) result.parts.push_back(parts[i].part);
  }
}

}  // namespace

void CallLists::add(const Trace& trace, const WorkRow& row) {
  if (row.hidden == nullptr || row.control || trace.context_of(row.row).kind == SpanKind::kCOPY) return;
  const Collective* call = trace.collectives.empty() ? nullptr : collective_of(trace, row.row);
  const Saying said = call != nullptr ? Saying{call->comm_group, call->op, row.stage} : Saying{-1, {}, row.stage};
  if (list_ == nullptr || said != last_) list_ = &lists_[last_ = said];
  list_->push_back({row.row, call != nullptr ? call->sequence : -1});
}

CollectiveMatch match_collectives(const Trace& trace, const Selection& selection,
                                  const std::vector<CallLists>& devices) {
  std::map<Kind, Calls> kinds;
  const auto earlier = [&start = trace.spans.start](const Call& a, const Call& b) {
    return start[a.row] < start[b.row];
  };
  for (std::size_t device = 0; device < devices.size(); ++device)
    for (const auto& [said, list] : devices[device].lists()) {
      std::vector<Call>& calls = kinds[kind_of(trace, said)][device];
      const auto middle = static_cast<std::ptrdiff_t>(calls.size());
      calls.insert(calls.end(), list.begin(), list.end());
      std::inplace_merge(calls.begin(), calls.begin() + middle, calls.end(), earlier);
    }
  std::vector<const std::pair<const Kind, Calls>*> list;
  for (const auto& entry : kinds) list.push_back(&entry);
  std::vector<CollectiveMatch> matches(list.size());
  each_in_parallel(list.size(), trace.spans.size(), [&] {
    return [&](std::size_t i) { match(trace, selection, list[i]->first.stage, list[i]->second, matches[i]); };
  });
  CollectiveMatch result;
  for (CollectiveMatch& one : matches) {
    for (CollectiveInstance& instance : one.instances) instance.first += result.parts.size();
    result.instances.insert(result.instances.end(), one.instances.begin(), one.instances.end());
    result.parts.insert(result.parts.end(), one.parts.begin(), one.parts.end());
    for (std::string& sentence : one.unmatched) result.unmatched.push_back(std::move(sentence));
    one = {};
  }
  std::stable_sort(result.instances.begin(), result.instances.end(),
                   [](const CollectiveInstance& a, const CollectiveInstance& b) { return a.stage < b.stage; });
  return result;
}

}  // namespace moescope
