#pragma once
// SPDX-License-Identifier: Apache-2.0
// The model's shape as kernels' names state it, for records that say nothing of it themselves.

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/model/trace.h"
#include "analyzer/stage/kernel_shape.h"

namespace moescope {

inline constexpr std::string_view kFromKernelNames = "kernel name: ";  // in Model::source, then the fields

struct NamedShape {
  std::int32_t name = -1;  // NameId
  KernelShape shape;
};
// Of every name of the trace that carries one, in the order of the names.
std::vector<NamedShape> named_shapes(const Trace& trace);

// Puts what names say where Trace::model says nothing, and adds "kernel name: FIELDS" to its source. A field on which
// two names differ stays unknown and becomes a diagnostic (kernel_names_disagree).
void complete_model(Trace& trace);

}  // namespace moescope
