// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/stage_table.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace moescope {

void StageSums::add(const SpanTable& spans, const WorkRow& row) {
  if (row.kind >= sums_.size()) sums_.resize(row.kind + 1);
  Sum& sum = sums_[row.kind];
  StageCell& cell = sum.cell;
  if (cell.count++ == 0) {
    sum.stage = row.stage;
    sum.pass = row.pass;
  }
  sum.time.add(row.interval);
  if (row.hidden != nullptr) {
    cell.communication = true;
    sum.exposure.add(*row.hidden);
  }
  cell.payload_spans += !row.control;
  if (const std::int64_t bytes = spans.bytes[row.row]; bytes >= 0) {
    cell.bytes += bytes;
    cell.with_bytes += !row.control;
  }
  if (const double flops = spans.flops[row.row]; flops >= 0) {
    cell.flops += flops;
    cell.with_flops += !row.control;
  }
}

std::vector<StagePart> StageSums::parts(Definition definition) const {
  std::vector<StagePart> parts;
  parts.reserve(sums_.size());
  for (const Sum& sum : sums_) {
    if (sum.cell.count == 0) continue;
    StagePart& part = parts.emplace_back(StagePart{sum.stage, sum.pass, sum.cell});
    part.cell.time = sum.time.length();
    if (part.cell.communication) part.cell.exposure = sum.exposure.exposure(definition);
  }
  std::sort(parts.begin(), parts.end(), [](const StagePart& a, const StagePart& b) {
    return std::tie(a.pass, a.stage) < std::tie(b.pass, b.stage);
  });
  return parts;
}

std::vector<StageRow> stage_table(const std::vector<std::vector<StagePart>>& devices) {
  std::map<std::pair<Pass, Stage>, StageRow> rows;
  for (std::size_t device = 0; device < devices.size(); ++device)
    for (const StagePart& part : devices[device]) {
      StageRow& row = rows[{part.pass, part.stage}];
      row.stage = part.stage;
      row.pass = part.pass;
      row.cells.resize(devices.size());
      row.cells[device] = part.cell;
    }
  std::vector<StageRow> table;
  for (auto& [key, row] : rows) table.push_back(std::move(row));
  // Work of no known pass comes last.
  std::stable_partition(table.begin(), table.end(), [](const StageRow& row) { return row.pass != Pass::kUNKNOWN; });
  return table;
}

}  // namespace moescope
