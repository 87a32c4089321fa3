#pragma once
// SPDX-License-Identifier: Apache-2.0
// Ties CLOCK_MONOTONIC (clock 0, which all our times are on) to the wall clock (clock 1), so that runs of several
// hosts, logs and device clocks can be laid over each other. A pair at the start, each second and at the end.

#include "collector/trace/schema.h"

namespace moescope::collector {

inline constexpr std::int32_t kMonotonicClock = 0, kRealtimeClock = 1, kFirstJobClock = 2;

std::int64_t realtime_ns();
// The tightest of a few readings of wall clock between two of the monotonic one. Costs about 0.5 us.
trace::ClockSyncRow read_clock_pair();

}  // namespace moescope::collector
