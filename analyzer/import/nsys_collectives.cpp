// SPDX-License-Identifier: Apache-2.0
// Collectives: NCCL's kernels joined with the calls that launched them. A kernel is launched inside its call, or, for
// calls between GroupStart and GroupEnd, inside GroupEnd; so thread and time of the launch find the calls.
#include <algorithm>
#include <unordered_map>

#include "analyzer/import/collective_args.h"
#include "analyzer/import/nccl_kernel.h"
#include "analyzer/import/nsys_import.h"
#include "analyzer/model/launch_index.h"

namespace moescope {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 45;
constexpr std::int64_t kMostRanks = 1 << 16;

bool is_point_to_point(const std::string& op) {
  return op == "Send" || op == "Recv";
}

bool is_operation(const std::string& op) {
  static constexpr std::string_view kOps[] = {"AllReduce", "AllGather", "ReduceScatter", "Broadcast", "Bcast", "Reduce",
                                              "AlltoAll",  "AllToAll",  "Gather",        "Scatter",   "Send",  "Recv"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// What one kernel may do: one collective call, or the point-to-point calls of a group on one communicator.
struct Operation {
  std::vector<const NsysNcclCall*> calls;
};
// A call outside of groups, or an outermost group: the kernels launched in it do its operations, in order.
struct Unit {
  Ns start = 0, end = 0;
  std::vector<Operation> operations;
  std::vector<std::size_t> kernels;  // rows, by launch
};

std::vector<Operation> operations_of(const std::vector<const NsysNcclCall*>& calls) {
  std::vector<Operation> operations;
  for (const NsysNcclCall* call : calls) {
    Operation* same = nullptr;
    if (is_point_to_point(call->op))
      for (Operation& one : operations)
        if (is_point_to_point(one.calls.front()->op) && one.calls.front()->communicator == call->communicator)
          same = &one;
    if (same)
      same->calls.push_back(call);
    else
      operations.push_back({{call}});
  }
  return operations;
}

// Of one thread, by start.
std::vector<Unit> units_of(const std::vector<const NsysNcclCall*>& calls) {
  std::vector<Unit> units;
  std::vector<const NsysNcclCall*> inside;
  Ns opened = 0;
  int depth = 0;
  for (const NsysNcclCall* call : calls) {
    if (call->op == "GroupStart") {
      if (depth++ == 0) {
        opened = call->start;
        inside.clear();
      }
    } else if (call->op == "GroupEnd") {
      if (depth > 0 && --depth == 0) units.push_back({opened, call->end, operations_of(inside), {}});
    } else if (is_operation(call->op)) {
      if (depth > 0)
        inside.push_back(call);
      else if (units.empty() || call->start >= units.back().end)  // else a call inside a call
        units.push_back({call->start, call->end, operations_of({call}), {}});
    }
  }
  return units;
}

class Collectives {
 public:
  explicit Collectives(NsysImport& import) : import_(import), trace_(import.builder.trace()) {}

  void settle() {
    communicators();
    match();
    for (auto& [thread, units] : units_)
      for (Unit& unit : units) say(unit);
    if (kernels_ > 0 && with_sizes_ == 0)
      import_.diagnostic(
          "info", "collectives_without_sizes", kernels_,
          import_.file.path() + ": its collectives carry no message sizes, so bytes and bandwidth can't be told");
  }

 private:
  struct Communicator {
    std::int32_t size = -1, group = -1;
    std::map<std::int32_t, std::int32_t> rank_of;   // global, by the communicator's own
    std::map<std::int32_t, std::int32_t> place_of;  // the other way
  };

  void communicators() {
    for (const NsysNcclCall& call : import_.nccl) {
      if (!call.has_communicator) continue;
      Communicator& one = communicators_[call.communicator];
      const RankId rank = import_.processes.rank_of(nsys_process_of(call.global_tid));
      if (call.ranks < 1 || call.ranks > kMostRanks || call.rank < 0 || call.rank >= call.ranks || !rank.valid())
        continue;
      one.size = static_cast<std::int32_t>(call.ranks);
      one.rank_of[static_cast<std::int32_t>(call.rank)] = rank.value;
      one.place_of[rank.value] = static_cast<std::int32_t>(call.rank);
    }
    for (auto& [id, one] : communicators_) {
      CommGroup group;
      char name[32];
      std::snprintf(name, sizeof name, "nccl %016llx", static_cast<unsigned long long>(id));
      group.name = name;
      if (static_cast<std::size_t>(std::max(one.size, 0)) == one.rank_of.size())
        for (const auto& [place, rank] : one.rank_of) group.ranks.push_back(rank);
      // Exports of the other ranks speak of the same communicators, and may know their members.
      auto& groups = trace_.comm_groups;
      const auto known =
          std::find_if(groups.begin(), groups.end(), [&](const CommGroup& g) { return g.name == group.name; });
      one.group = static_cast<std::int32_t>(known - groups.begin());
      if (known == groups.end())
        groups.push_back(std::move(group));
      else if (known->ranks.empty())
        known->ranks = std::move(group.ranks);
    }
  }

  // Every kernel to the unit its launch lies in; one without is told from its name alone.
  void match() {
    std::unordered_map<std::int64_t, std::vector<const NsysNcclCall*>> by_thread;
    for (const NsysNcclCall& call : import_.nccl) by_thread[track_of(call.global_tid)].push_back(&call);
    for (auto& [thread, calls] : by_thread) {
      std::stable_sort(calls.begin(), calls.end(),
                       [](const NsysNcclCall* a, const NsysNcclCall* b) { return a->start < b->start; });
      units_[thread] = units_of(calls);
    }
    std::vector<std::pair<Ns, std::size_t>> kernels;  // by launch
    std::optional<LaunchIndex> launches;
    std::vector<std::int8_t> is_nccl(trace_.names.size(), -1);
    for (std::size_t row = import_.first_row; row < trace_.spans.size(); ++row) {
      if (trace_.context_of(row).kind != SpanKind::kKERNEL) continue;
      auto& known = is_nccl[static_cast<std::size_t>(trace_.spans.name[row])];
      if (known < 0) known = nccl_kernel(trace_.name_of(row)).has_value() ? 1 : 0;
      if (known == 0) continue;
      ++kernels_;
      if (!launches) launches.emplace(trace_, import_.first_row);
      const auto launch = launches->launch_of(row);
      Unit* unit = launch ? unit_at(trace_.spans.track[*launch], trace_.spans.start[*launch]) : nullptr;
      if (unit)
        unit->kernels.push_back(row);
      else
        by_name(row);
    }
    for (auto& [thread, units] : units_)
      for (Unit& unit : units)
        std::stable_sort(unit.kernels.begin(), unit.kernels.end(), [&](std::size_t a, std::size_t b) {
          return trace_.spans.start[*launches->launch_of(a)] < trace_.spans.start[*launches->launch_of(b)];
        });
  }

  std::int64_t track_of(std::int64_t global_tid) { return import_.processes.thread(global_tid).value; }

  Unit* unit_at(std::int32_t track, Ns time) {
    const auto found = units_.find(track);
    if (found == units_.end()) return nullptr;
    auto next = std::upper_bound(found->second.begin(), found->second.end(), time,
                                 [](Ns t, const Unit& unit) { return t < unit.start; });
    if (next == found->second.begin() || (--next)->end <= time) return nullptr;
    return &*next;
  }

  // One kernel an operation, in order; one kernel for all of them where there is only one. Anything else can't be told.
  void say(const Unit& unit) {
    if (unit.kernels.size() == unit.operations.size()) {
      for (std::size_t i = 0; i < unit.kernels.size(); ++i) collective(unit.kernels[i], unit.operations[i].calls);
    } else {
      std::vector<const NsysNcclCall*> all;
      for (const Operation& one : unit.operations) all.insert(all.end(), one.calls.begin(), one.calls.end());
      const bool alike = std::all_of(all.begin(), all.end(), [&](const NsysNcclCall* call) {
        return call->communicator == all.front()->communicator && call->op == all.front()->op;
      });
      for (const std::size_t row : unit.kernels) {
        if (unit.kernels.size() == 1 && alike && !all.empty())
          collective(row, all);
        else
          by_name(row);
      }
    }
  }

  Collective begin(std::size_t row) {
    Collective one;
    one.span = static_cast<std::int64_t>(row);
    one.rank = trace_.track_of(row).rank;
    if (const auto kernel = nccl_kernel(trace_.name_of(row))) {
      if (!kernel->op.empty()) one.op = import_.builder.name(kernel->op);
      one.algorithm = kernel->algorithm;
      one.protocol = kernel->protocol;
    }
    return one;
  }

  void by_name(std::size_t row) { import_.builder.collective(begin(row)); }

  void collective(std::size_t row, const std::vector<const NsysNcclCall*>& calls) {
    Collective one = begin(row);
    const NsysNcclCall& first = *calls.front();
    const auto communicator = first.has_communicator ? communicators_.find(first.communicator) : communicators_.end();
    const Communicator* on = communicator == communicators_.end() ? nullptr : &communicator->second;
    if (on) {
      one.comm_group = on->group;
      one.group_size = on->size;
    }
    std::int64_t wire = -1;
    if (is_point_to_point(first.op)) {
      one.op = import_.builder.name(alone(calls) ? first.op : "SendRecv");
      wire = point_to_point(one, calls, on);
    } else {
      one.op = import_.builder.name(first.op);
      wire = whole_group(one, calls);
    }
    if (one.bytes_in >= 0 || one.bytes_out >= 0) ++with_sizes_;
    if (wire >= 0) trace_.spans.bytes[row] = wire;
    import_.builder.collective(std::move(one));
  }

  static bool alone(const std::vector<const NsysNcclCall*>& calls) {
    return std::all_of(calls.begin(), calls.end(),
                       [&](const NsysNcclCall* call) { return call->op == calls.front()->op; });
  }

  // Sends and receives of one kernel: an all-to-all where every member is a peer. What stays on the rank is in the
  // buffers, not on the wire.
  std::int64_t point_to_point(Collective& one, const std::vector<const NsysNcclCall*>& calls, const Communicator* on) {
    std::int64_t sent = 0, received = 0, peer = calls.front()->peer;
    std::vector<std::int64_t> to, from;
    if (on && on->size > 0) {
      to.assign(static_cast<std::size_t>(on->size), 0);
      from = to;
    }
    for (const NsysNcclCall* call : calls) {
      if (call->bytes < 0 || call->bytes > kMostBytes || sent + received > kMostBytes) return -1;
      const bool sends = call->op == "Send";
      (sends ? sent : received) += call->bytes;
      if (call->peer != peer) peer = -1;
      if (call->peer >= 0 && call->peer < static_cast<std::int64_t>(to.size()))
        (sends ? to : from)[static_cast<std::size_t>(call->peer)] += call->bytes;
      else
        to.clear(), from.clear();
    }
    one.bytes_in = sent;
    one.bytes_out = received;
    if (peer >= 0 && peer < kMostRanks) one.root_or_peer = static_cast<std::int32_t>(peer);
    if (to.empty()) return -1;
    one.element_type = import_.builder.name("Byte");
    one.elements_in = sent;
    one.elements_out = received;
    one.in_splits = to;
    one.out_splits = std::move(from);
    const auto place = on->place_of.find(one.rank.value);
    return place == on->place_of.end() ? -1 : sent - to[static_cast<std::size_t>(place->second)];
  }

  // The size NCCL notes is that of one rank's part: of the whole buffer for AllReduce, Broadcast and Reduce, of what a
  // rank brings for AllGather and Gather, of what it gets for ReduceScatter and Scatter, of what goes to each for
  // AlltoAll.
  std::int64_t whole_group(Collective& one, const std::vector<const NsysNcclCall*>& calls) {
    std::int64_t part = 0;
    for (const NsysNcclCall* call : calls) {
      if (call->bytes < 0 || call->bytes > kMostBytes || part > kMostBytes) return -1;
      part += call->bytes;
    }
    const NsysNcclCall& first = *calls.front();
    if (first.root >= 0 && first.root < kMostRanks) one.root_or_peer = static_cast<std::int32_t>(first.root);
    const std::string& op = first.op;
    const std::int64_t all = one.group_size > 0 && part <= kMostBytes / one.group_size ? part * one.group_size : -1;
    const bool gathers = op == "AllGather" || op == "Gather", scatters = op == "ReduceScatter" || op == "Scatter";
    const bool exchanges = op == "AlltoAll" || op == "AllToAll";
    one.bytes_in = scatters || exchanges ? all : part;
    one.bytes_out = gathers || exchanges ? all : part;
    CollectiveArgs args;
    std::string name = op == "Bcast" ? "broadcast" : op;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    args.name = name;
    args.element_type = "Byte";
    args.elements_in = one.bytes_in;
    args.elements_out = one.bytes_out;
    args.group_size = one.group_size;
    return collective_wire_bytes(args);
  }

  NsysImport& import_;
  Trace& trace_;
  std::map<std::uint64_t, Communicator> communicators_;
  std::unordered_map<std::int64_t, std::vector<Unit>> units_;  // by the thread's track
  std::uint64_t kernels_ = 0, with_sizes_ = 0;
};

}  // namespace

void settle_nsys_collectives(NsysImport& import) {
  Collectives(import).settle();
}

}  // namespace moescope
