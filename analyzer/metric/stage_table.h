#pragma once
// SPDX-License-Identifier: Apache-2.0
// Time, traffic and arithmetic of each stage and pass, one cell a device. Totals over the chosen rows.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metric/overlap.h"

namespace moescope {

struct StageCell {
  std::size_t count = 0;          // spans
  Ns time = 0;                    // union of them
  bool communication = false;     // its exposure has a meaning
  Exposure exposure;              // of this stage alone: stages that overlap each other can sum to more than the whole
  std::int64_t bytes = 0;         // on the wire, of the spans that say so
  double flops = 0;               // multiply-add = 2
  std::size_t payload_spans = 0;  // control spans carry no bytes and are not asked for any
  std::size_t with_bytes = 0, with_flops = 0;
};
struct StageRow {
  Stage stage = Stage::kUNATTRIBUTED;
  Pass pass = Pass::kUNKNOWN;
  std::vector<std::optional<StageCell>> cells;  // as Selection::devices
};

// Ascending by pass, then stage: the order of a layer. Work of no known pass comes last.
std::vector<StageRow> stage_table(const Work& work);

// One device's stages and passes, from rows given in the order of time.
struct StagePart {
  Stage stage = Stage::kUNATTRIBUTED;
  Pass pass = Pass::kUNKNOWN;
  StageCell cell;
};
class StageSums {
 public:
  StageSums() { index_.fill(-1); }
  // span: of communication, else null.
  void add(const Work& work, std::size_t row, const HiddenSpan* span);
  std::vector<StagePart> parts(Definition definition) const;  // ascending by pass, then stage
  bool empty() const { return sums_.empty(); }

 private:
  struct Sum {
    Stage stage = Stage::kUNATTRIBUTED;
    Pass pass = Pass::kUNKNOWN;
    UnionLength time;
    ExposureSum exposure;
    StageCell cell;
  };
  std::array<std::int16_t, MOESCOPE_PASS_COUNT * kStageCount> index_;  // into sums_, by pass and stage
  std::vector<Sum> sums_;
};

}  // namespace moescope
