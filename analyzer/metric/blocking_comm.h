#pragma once
// SPDX-License-Identifier: Apache-2.0
// The part of exposed communication that compute really waited for: time without compute whose next compute was
// launched already and stands behind a communication in its own stream, as far as that lasted. Exposed and
// in-flight time together are its upper bound.

#include "analyzer/metric/device_timeline.h"
#include "analyzer/model/answer.h"

namespace moescope {

// Of each gap g in the device's compute, with next compute k behind communication c: what of g and [max(begin g, launch
// of k), end of c) is communication or in flight. Abstains where more than kMostUnresolved of the exposed time is
// communication on other streams than the compute behind it: which event it waited for is not in the record.
inline constexpr double kMostUnresolved = 0.05;
Answer<Ns> blocking_comm(const DeviceWork& device, const IntervalSet& in_flight);

}  // namespace moescope
