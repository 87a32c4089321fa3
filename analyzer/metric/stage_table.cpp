// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/stage_table.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace moescope {

void StageSums::add(const Work& work, std::size_t row, const HiddenSpan* span) {
  const Attribution& attribution = work.attribution;
  const Stage stage = attribution.stage[row];
  const Pass pass = attribution.pass[row];
  std::int16_t& index = index_[static_cast<std::size_t>(pass) * kStageCount + static_cast<std::size_t>(stage)];
  if (index < 0) {
    index = static_cast<std::int16_t>(sums_.size());
    Sum& fresh = sums_.emplace_back();
    fresh.stage = stage;
    fresh.pass = pass;
  }
  Sum& sum = sums_[static_cast<std::size_t>(index)];
  sum.time.add(span != nullptr ? span->interval : work.selection.interval(work.trace, row));
  StageCell& cell = sum.cell;
  ++cell.count;
  if (span != nullptr) {
    cell.communication = true;
    sum.exposure.add(*span);
  }
  const bool payload = !is_control(attribution.part[row]);
  cell.payload_spans += payload;
  if (const std::int64_t bytes = work.trace.spans.bytes[row]; bytes >= 0) {
    cell.bytes += bytes;
    cell.with_bytes += payload;
  }
  if (const double flops = work.trace.spans.flops[row]; flops >= 0) {
    cell.flops += flops;
    cell.with_flops += payload;
  }
}

std::vector<StagePart> StageSums::parts(Definition definition) const {
  std::vector<StagePart> parts;
  parts.reserve(sums_.size());
  for (const Sum& sum : sums_) {
    StagePart& part = parts.emplace_back(StagePart{sum.stage, sum.pass, sum.cell});
    part.cell.time = sum.time.length();
    if (part.cell.communication) part.cell.exposure = sum.exposure.exposure(definition);
  }
  std::sort(parts.begin(), parts.end(), [](const StagePart& a, const StagePart& b) {
    return std::tie(a.pass, a.stage) < std::tie(b.pass, b.stage);
  });
  return parts;
}

std::vector<StageRow> stage_table(const Work& work) {
  std::map<std::pair<Pass, Stage>, StageRow> rows;
  for (std::size_t device = 0; device < work.devices.size(); ++device) {
    StageSums sums;
    work.devices[device].each_row([&](std::size_t row, const HiddenSpan* span) { sums.add(work, row, span); });
    for (const StagePart& part : sums.parts(work.definition)) {
      StageRow& row = rows[{part.pass, part.stage}];
      row.stage = part.stage;
      row.pass = part.pass;
      row.cells.resize(work.devices.size());
      row.cells[device] = part.cell;
    }
  }
  std::vector<StageRow> table;
  for (auto& [key, row] : rows) table.push_back(std::move(row));
  // Work of no known pass comes last.
  std::stable_partition(table.begin(), table.end(), [](const StageRow& row) { return row.pass != Pass::kUNKNOWN; });
  return table;
}

}  // namespace moescope
