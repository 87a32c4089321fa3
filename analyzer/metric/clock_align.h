#pragma once
// SPDX-License-Identifier: Apache-2.0
// What ties the ranks' clocks to each other. Ranks on one clock need nothing. Others are tied by communication they
// took part in together: nobody can leave a collective before the last has come, so its ends lie close together on all
// ranks; the median of their differences is the clocks' offset, and what is left over is the error.

#include <vector>

#include "analyzer/metric/collective_match.h"
#include "analyzer/model/answer.h"

namespace moescope {

struct ClockAlignment {
  // Add to a time of the device to have it on the clock of the first device; as Selection::devices.
  std::vector<Ns> offset;
  // 95th percentile of how far ends lie from where the offsets put them: of the fit, or, on one clock, as recorded
  // (devices' times are brought to the host's clock by their driver, tens of microseconds off in published traces).
  Ns residual_p95 = 0;
  bool fitted = false;  // some devices had different clocks
};
inline constexpr std::size_t kFewestCommon = 3;

// Abstains where some device's clock is tied to no other by kFewestCommon instances or more.
Answer<ClockAlignment> align_clocks(const Trace& trace, const Selection& selection, const CollectiveMatch& match);

}  // namespace moescope
