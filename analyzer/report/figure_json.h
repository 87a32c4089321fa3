#pragma once
// SPDX-License-Identifier: Apache-2.0
// The metrics of one row of a grain as JSON fields: what the report's objects are filled with.

#include <cstddef>

#include "analyzer/metric/metrics.h"
#include "analyzer/report/json_writer.h"

namespace moescope {

// Into the open object: {median, worst, worst_rank} where a figure belongs to a rank, else a number. What is absent is
// left out.
void write_figures(JsonWriter& json, const Analysis& analysis, Grain grain, std::size_t row);
// One device's own figures, as numbers. "a.b" is field b of an object a.
void write_device_figures(JsonWriter& json, const Analysis& analysis, Grain grain, std::size_t row, std::size_t device);

}  // namespace moescope
