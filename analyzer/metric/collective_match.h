#pragma once
// SPDX-License-Identifier: Apache-2.0
// The same communication on several ranks: which kernel of one rank belongs to which of another. By group, operation
// and sequence number where the record has them; else the n-th of its stage among the ranks of its group, and where
// ranks on one clock saw different numbers of them (a record that begins later), those that were at work at the same
// time.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/metric/work.h"

namespace moescope {

struct MatchedPart {
  std::size_t device = 0;  // index into Selection::devices
  std::size_t row = 0;
};
struct CollectiveInstance {
  Stage stage = Stage::kUNATTRIBUTED;
  std::size_t first = 0, count = 0;  // of CollectiveMatch::parts; two at least
};
struct CollectiveMatch {
  std::vector<MatchedPart> parts;             // of an instance side by side, ascending by device
  std::vector<CollectiveInstance> instances;  // by stage, then in the order of the lowest device
  // What was not matched, and why: one sentence a kind.
  std::vector<std::string> unmatched;

  std::span<const MatchedPart> parts_of(const CollectiveInstance& instance) const {
    return {parts.data() + instance.first, instance.count};
  }
};

// Of a rank's calls without numbers, the least share that must have a partner (and overlap it, on one clock).
inline constexpr double kFewestTogether = 0.8;

// Payload communication of the selection. Near-linear.
// One device's calls that move payload, by what can belong together. Copies are not calls.
class CallLists {
 public:
  struct Call {
    std::size_t row = 0;
    std::int64_t sequence = -1;
  };
  // What the record says of a call: its group, its operation, its stage.
  struct Saying {
    std::int32_t comm_group = -1;
    NameId op;
    Stage stage = Stage::kUNATTRIBUTED;
    auto operator<=>(const Saying&) const = default;
  };
  void add(const Trace& trace, const WorkRow& row);
  const std::map<Saying, std::vector<Call>>& lists() const { return lists_; }  // each in the order of time

 private:
  std::map<Saying, std::vector<Call>> lists_;
  Saying last_;
  std::vector<Call>* list_ = nullptr;  // of last_
};

CollectiveMatch match_collectives(const Trace& trace, const Selection& selection,
                                  const std::vector<CallLists>& devices);

}  // namespace moescope
