#pragma once
// SPDX-License-Identifier: Apache-2.0
// Time, traffic and arithmetic of each stage and pass, one cell a device. Totals over the chosen rows.

#include <optional>
#include <vector>

#include "analyzer/metric/work.h"

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

// One device's stages and passes.
struct StagePart {
  Stage stage = Stage::kUNATTRIBUTED;
  Pass pass = Pass::kUNKNOWN;
  StageCell cell;
};
class StageSums {
 public:
  void add(const SpanTable& spans, const WorkRow& row);
  std::vector<StagePart> parts(Definition definition) const;  // ascending by pass, then stage

 private:
  struct Sum {
    Stage stage = Stage::kUNATTRIBUTED;
    Pass pass = Pass::kUNKNOWN;
    UnionLength time;
    ExposureSum exposure;
    StageCell cell;
  };
  std::vector<Sum> sums_;  // by WorkRow::kind; count 0: not met
};

// Ascending by pass, then stage: the order of a layer. Work of no known pass comes last.
std::vector<StageRow> stage_table(const std::vector<std::vector<StagePart>>& devices);

}  // namespace moescope
