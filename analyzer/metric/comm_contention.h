#pragma once
// SPDX-License-Identifier: Apache-2.0
// Token exchange (dispatch, combine, all-to-all) beside reductions (all-reduce, reduce-scatter, all-gather) on one
// device: how long both run at once, and how much longer each takes then.

#include "analyzer/metric/work.h"
#include "analyzer/model/answer.h"

namespace moescope {

struct Slowdown {
  double ratio = 1;  // median time under the other over median time alone, of the same work; then the median of those
  std::size_t under = 0, alone = 0;  // instances that were compared
};
struct CommContention {
  Ns together = 0;  // both at once
  Answer<Slowdown> exchange = Abstained{"no token exchange and reduction run at once"};
  Answer<Slowdown> reduction = Abstained{"no token exchange and reduction run at once"};
};

// The same work: equal kernel name and bytes. An instance is under the other where that covers at least half of it,
// alone where it covers none. At least kFewest of each are wanted.
inline constexpr std::size_t kFewestInstances = 3;
CommContention comm_contention(const DeviceWork& device);

}  // namespace moescope
