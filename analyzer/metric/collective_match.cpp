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

// Which calls of two lists belong together: (index of a, index of b), both ascending.
struct Pairs {
  std::size_t count = 0;
  bool in_order = false;  // the n-th with the n-th; list is empty then
  std::vector<std::pair<std::size_t, std::size_t>> list;
};

// Calls that were at work at the same time: both of one clock. Nobody leaves a collective before the last has come, so
// what belongs together overlaps; what has no partner is passed over.
Pairs overlapping(const SpanTable& spans, const std::vector<Call>& a, const std::vector<Call>& b) {
  Pairs pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Ns a_end = spans.end(a[i].row), b_end = spans.end(b[j].row);
    if (spans.start[a[i].row] <= b_end && spans.start[b[j].row] <= a_end)
      pairs.list.emplace_back(i++, j++);
    else if (a_end < b_end)
      ++i;
    else
      ++j;
  }
  pairs.count = pairs.list.size();
  return pairs;
}
// On one clock: the n-th with the n-th where as many of these overlap as of any pairs; kernels that don't wait for each
// other need not.
Pairs pairs_on_one_clock(const SpanTable& spans, const std::vector<Call>& a, const std::vector<Call>& b) {
  std::size_t together = 0;
  if (a.size() == b.size())
    for (std::size_t i = 0; i < a.size(); ++i)
      together += spans.start[a[i].row] <= spans.end(b[i].row) && spans.start[b[i].row] <= spans.end(a[i].row) ? 1 : 0;
  if (a.size() == b.size() && together == a.size()) return {a.size(), true, {}};
  Pairs pairs = overlapping(spans, a, b);
  const bool enough = static_cast<double>(together) >= kFewestTogether * static_cast<double>(a.size());
  return a.size() == b.size() && enough && together >= pairs.count ? Pairs{a.size(), true, {}} : pairs;
}

// The calls of one kind, and whose they are matched with.
struct Matching {
  Stage stage = Stage::kUNATTRIBUTED;
  const Calls* calls = nullptr;
  bool numbered = false;
  std::size_t reference = 0;  // the device that saw most, so that nobody's partner is missing there
  std::vector<Pairs> pairs;   // of reference and each device of calls; empty where numbered
};

void pair_up(const Trace& trace, const Selection& selection, Matching& matching, std::size_t index) {
  const auto& [device, list] = *std::next(matching.calls->begin(), static_cast<std::ptrdiff_t>(index));
  const std::vector<Call>& most = matching.calls->at(matching.reference);
  if (selection.devices[device].clock == selection.devices[matching.reference].clock)
    matching.pairs[index] = pairs_on_one_clock(trace.spans, most, list);
  else if (list.size() == most.size())
    matching.pairs[index] = {list.size(), true, {}};
}

// Parts side by side, by key; parts of one key alone are nobody's.
void add_instances(Stage stage, std::vector<KeyedPart>& parts, CollectiveMatch& result) {
  group(parts);
  for (std::size_t from = 0, to = 0; from < parts.size(); from = to) {
    while (to < parts.size() && parts[to].key == parts[from].key) ++to;
    if (to - from < 2) continue;
    result.instances.push_back({stage, result.parts.size(), to - from});
    for (std::size_t i = from; i < to; ++i) result.parts.push_back(parts[i].part);
  }
}

void match(const Selection& selection, const Matching& matching, CollectiveMatch& result) {
  const Calls& calls = *matching.calls;
  std::vector<KeyedPart> parts;
  if (matching.numbered) {
    for (const auto& [device, list] : calls)
      for (const Call& call : list) parts.push_back({call.sequence, {device, call.row}});
    return add_instances(matching.stage, parts, result);
  }
  const std::size_t most = calls.at(matching.reference).size();
  if (std::all_of(matching.pairs.begin(), matching.pairs.end(), [](const Pairs& pairs) { return pairs.in_order; })) {
    // As usual: all saw the same.
    result.instances.reserve(most);
    result.parts.reserve(most * calls.size());
    for (std::size_t i = 0; i < most; ++i) {
      result.instances.push_back({matching.stage, result.parts.size(), calls.size()});
      for (const auto& [device, list] : calls) result.parts.push_back({device, list[i].row});
    }
    return;
  }
  std::size_t without = 0, index = 0;
  for (const auto& [device, list] : calls) {
    const Pairs& pairs = matching.pairs[index++];
    if (static_cast<double>(pairs.count) < kFewestTogether * static_cast<double>(list.size())) {
      ++without;
      continue;
    }
    for (std::size_t i = 0; i < pairs.count; ++i) {
      const auto [a, b] = pairs.in_order ? std::pair(i, i) : pairs.list[i];
      parts.push_back({static_cast<std::int64_t>(a), {device, list[b].row}});
    }
  }
  if (without > 0)
    result.unmatched.push_back(std::string(name(matching.stage)) +
                               ": neither sequence numbers nor times tell which calls of " + std::to_string(without) +
                               " of " + std::to_string(calls.size()) + " ranks belong to which of rank " +
                               std::to_string(selection.devices[matching.reference].device.rank.value));
  add_instances(matching.stage, parts, result);
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
  std::vector<Matching> list;
  std::vector<std::pair<std::size_t, std::size_t>> jobs;  // (matching, device of its calls)
  for (const auto& [kind, calls] : kinds) {
    if (calls.size() < 2) continue;  // one rank of the group is in the record: nothing to hold it against
    Matching& one = list.emplace_back(Matching{kind.stage, &calls, numbered(calls), 0, {}});
    if (one.numbered) continue;
    one.reference = std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
                      return a.second.size() < b.second.size();
                    })->first;
    one.pairs.resize(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) jobs.emplace_back(list.size() - 1, i);
  }
  each_in_parallel(jobs.size(), trace.spans.size(), [&] {
    return [&](std::size_t i) { pair_up(trace, selection, list[jobs[i].first], jobs[i].second); };
  });
  std::vector<CollectiveMatch> matches(list.size());
  each_in_parallel(list.size(), trace.spans.size(),
                   [&] { return [&](std::size_t i) { match(selection, list[i], matches[i]); }; });
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
