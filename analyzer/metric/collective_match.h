#pragma once
// SPDX-License-Identifier: Apache-2.0
// The same communication on several ranks: which kernel of one rank belongs to which of another. By group, operation
// and sequence number where the record has them; else the n-th of its stage among the ranks of its group, and where
// ranks on one clock saw different numbers of them (a record that begins later), those that were at work at the same
// time.

#include <string>
#include <vector>

#include "analyzer/metric/selection.h"

namespace moescope {

struct MatchedPart {
  std::size_t device = 0;  // index into Selection::devices
  std::size_t row = 0;
};
struct CollectiveInstance {
  Stage stage = Stage::kUNATTRIBUTED;
  std::vector<MatchedPart> parts;  // ascending by device; two at least
};
struct CollectiveMatch {
  std::vector<CollectiveInstance> instances;  // by stage, then in the order of the lowest device
  // What was not matched, and why: one sentence a kind.
  std::vector<std::string> unmatched;
};

// Of a rank's calls without numbers, the least share that must have a partner (and overlap it, on one clock).
inline constexpr double kFewestTogether = 0.8;

// Payload communication of the selection. Near-linear.
CollectiveMatch match_collectives(const Trace& trace, const Attribution& attribution, const Selection& selection);

}  // namespace moescope
