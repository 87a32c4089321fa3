#pragma once
// SPDX-License-Identifier: Apache-2.0
// The size of the MoE layers a job runs, and THE table of model names. FLOPs a token-expert pair: 6 h d (gate, up and
// down projections), d being one expert's intermediate width.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace moescope::reference {

struct MoeShape {
  int hidden = 0;        // h
  int intermediate = 0;  // d
  int experts = 0;
  int top_k = 0;
  int layers = 0;
  int tokens = 0;  // a rank and step
  int ranks = 0;
  int shared_experts = 0;  // of every token, each as wide as a routed one
  int dense = 0;           // inner width of the two projections that a layer has besides its experts; 0: none

  int local_experts() const { return experts / ranks; }
  int first_expert(int rank) const { return rank * local_experts(); }
  int owner(int expert) const { return expert / local_experts(); }
  std::int64_t l1_flops_per_pair() const { return std::int64_t{4} * hidden * intermediate; }
  std::int64_t l2_flops_per_pair() const { return std::int64_t{2} * hidden * intermediate; }
};

// The element types arithmetic is done with. fp32 accumulates either way.
enum class Dtype { kFp32, kBf16 };
constexpr double bytes_per_element(Dtype dtype) {
  return dtype == Dtype::kFp32 ? 4.0 : 2.0;
}
std::string_view name(Dtype dtype);

// Stage times of one layer on one rank, us; they replace work where given.
struct StageTimes {
  double dispatch_us = 0, l1_us = 0, act_us = 0, l2_us = 0, combine_us = 0;
};

// What --preset sets. Options override every value.
struct Preset {
  std::string_view name, summary;
  MoeShape shape;
  int steps;
  Dtype dtype;
  double dispatch_bytes, combine_bytes;  // an element on the wire
  double flops_per_second;               // of a rank, for the virtual and paced clocks
  double link_bytes_per_second;          // of a rank, one direction
  std::optional<StageTimes> stage_times;
};
std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);

}  // namespace moescope::reference
