#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where each span belongs: its step, layer, micro-batch and wave, marked by the record or found in it. It lies over the
// record's own contexts, which stay as they are; metrics ask here and need not know where an answer comes from.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/column.h"
#include "analyzer/model/trace.h"

namespace moescope {

struct Place {
  StepId step;
  LayerId layer;
  MicroBatchId micro_batch;
  WaveId wave;
  friend bool operator==(const Place&, const Place&) = default;
};

enum class Origin : std::uint8_t {
  kNone,    // not known: not marked, and not found with confidence enough
  kMarked,  // by the record: its own tables, or words in the names of ranges
  kFound,   // from the pattern that kernels repeat
  kMixed,   // marked on some ranks, found on others
};
std::string_view name(Origin origin);

// Below this a pattern is reported as not found.
inline constexpr double kLeastConfidence = 0.8;

// What is known of the steps (layers, ...) of a run as a whole.
struct StructureFact {
  Origin origin = Origin::kNone;
  double confidence = -1;  // 0..1, the least over devices; -1 where nothing was searched; 1 for marks
  std::string evidence;    // one sentence: how it was found, or why it was not
  bool known() const { return origin != Origin::kNone; }
};

struct Structure {
  std::vector<Place> places;   // distinct
  Column<std::int32_t> place;  // index into places, one a span row
  std::vector<Step> steps;     // the record's, and those found; ascending by rank and step
  StructureFact step_fact, layer_fact, micro_batch_fact, wave_fact;

  const Place& at(std::size_t row) const { return places[static_cast<std::size_t>(place[row])]; }
};

// What the record's contexts mark, and no more.
Structure marked_structure(const Trace& trace);

// The bounds of a step; null where nobody knows them.
const Step* find_step(const Structure& structure, RankId rank, StepId step);
// The user's number of a step, else its ordinal; -1 for none.
std::int64_t step_number(const Structure& structure, RankId rank, StepId step);

}  // namespace moescope
