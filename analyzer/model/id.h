#pragma once
// SPDX-License-Identifier: Apache-2.0
// Numbers that must not be mixed up get a type each. -1 is "none".

#include <compare>
#include <cstdint>

namespace moescope {

template <class Tag>
struct Id {
  std::int32_t value = -1;
  constexpr Id() = default;
  constexpr explicit Id(std::int32_t v) : value(v) {}
  constexpr bool valid() const { return value >= 0; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using RankId = Id<struct RankTag>;  // global rank
using StepId = Id<struct StepTag>;  // ordinal of a step within its process and rank
using LayerId = Id<struct LayerTag>;
using MicroBatchId = Id<struct MicroBatchTag>;
using WaveId = Id<struct WaveTag>;
using ExpertId = Id<struct ExpertTag>;
using TrackId = Id<struct TrackTag>;      // index into Trace::tracks
using NameId = Id<struct NameTag>;        // index into Trace::names
using ContextId = Id<struct ContextTag>;  // index into Trace::contexts
using ClockId = Id<struct ClockTag>;      // index into Trace::clocks
using LinkId = Id<struct LinkTag>;        // index into Trace::links

// Where work runs: metrics are per device.
struct DeviceKey {
  RankId rank;
  std::int32_t device = 0;
  friend constexpr auto operator<=>(const DeviceKey&, const DeviceKey&) = default;
};

}  // namespace moescope
