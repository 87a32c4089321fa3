#pragma once
// SPDX-License-Identifier: Apache-2.0
// May these runs be compared at all? The same stages in the same passes and layers, on as many ranks, of a model of the
// same shape; how the work is scheduled, and in how many waves, may differ.

#include <optional>
#include <span>
#include <string>

#include "analyzer/compare/run_sample.h"

namespace moescope {

struct Mismatch {
  std::string run;      // the first run that differs from the first of all
  std::string trouble;  // "has 8 ranks where BASE has 4"
};
std::optional<Mismatch> structural_mismatch(std::span<const RunSample> base, std::span<const RunSample> head);

}  // namespace moescope
