#pragma once
// SPDX-License-Identifier: Apache-2.0
// The parts of THE table. Each is a file of rows; builtin_rules.cpp puts them together.

#include <span>

#include "analyzer/stage/stage_rule.h"

namespace moescope {

std::span<const StageRule> guard_rules();
std::span<const StageRule> exchange_rules();
std::span<const StageRule> routing_rules();
std::span<const StageRule> expert_rules();
std::span<const StageRule> collective_rules();
std::span<const StageRule> dense_rules();
std::span<const StageRule> library_rules();
std::span<const StageRule> rocm_rules();
std::span<const StageRule> range_rules();

}  // namespace moescope
