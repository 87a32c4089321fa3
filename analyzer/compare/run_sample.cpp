// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/run_sample.h"

#include <algorithm>

namespace moescope {
namespace {

constexpr std::pair<Compared, std::string_view> kNames[] = {
    {Compared::kStepTime, "step_ns"},
    {Compared::kExposedComm, "exposed_comm_ns"},
    {Compared::kHidden, "hidden_fraction"},
    {Compared::kStageTime, "stage_time_ns"},
    {Compared::kStageExposed, "stage_exposed_ns"},
};

bool has_meaning(Stage stage) {
  return (kMoeStages | kCommunicationStages).contains(stage);
}

// The figures of one step (or of the whole window), summed over the ranks that have it.
class StepFigures {
 public:
  void rank(double length, const Exposure& exposure) {
    ++ranks_;
    longest_ = std::max(longest_, length);
    exposed_ += static_cast<double>(exposure.exposed);
    if (exposure.weighed_comm > 0) {
      ++with_comm_;
      hidden_ += 1 - static_cast<double>(exposure.weighed_exposed) / static_cast<double>(exposure.weighed_comm);
    }
  }
  void stage(Stage stage, Pass pass, const StageCell& cell) {
    if (!has_meaning(stage)) return;
    stages_[{Compared::kStageTime, stage, pass}] += static_cast<double>(cell.time);
    if (cell.communication)
      stages_[{Compared::kStageExposed, stage, pass}] += static_cast<double>(cell.exposure.exposed);
  }
  void append(RunSample& sample) const {
    if (ranks_ == 0) return;
    const double ranks = static_cast<double>(ranks_);
    sample.series[{Compared::kStepTime}].push_back(longest_);
    sample.series[{Compared::kExposedComm}].push_back(exposed_ / ranks);
    if (with_comm_ > 0) sample.series[{Compared::kHidden}].push_back(hidden_ / static_cast<double>(with_comm_));
    for (const auto& [key, total] : stages_) sample.series[key].push_back(total / ranks);
    ++sample.steps;
  }

 private:
  std::size_t ranks_ = 0, with_comm_ = 0;
  double longest_ = 0, exposed_ = 0, hidden_ = 0;
  std::map<SeriesKey, double> stages_;
};

}  // namespace

std::string_view name(Compared compared) {
  for (const auto& [value, text] : kNames)
    if (value == compared) return text;
  return "?";
}

std::optional<Compared> compared_from_name(std::string_view text) {
  for (const auto& [value, known] : kNames)
    if (known == text) return value;
  return std::nullopt;
}

RunSample run_sample(const Trace& trace, const Analysis& analysis, const std::string& label) {
  RunSample sample;
  sample.label = label;
  sample.model = trace.model;
  std::set<RankId> ranks;
  sample.virtual_clock = !analysis.selection.devices.empty();
  for (const DeviceRows& device : analysis.selection.devices) {
    ranks.insert(device.device.rank);
    if (trace.clocks[static_cast<std::size_t>(device.clock.value)].kind != ClockKind::kVIRTUAL)
      sample.virtual_clock = false;
  }
  sample.ranks = ranks.size();
  for (const StageRow& row : analysis.stages)
    if (has_meaning(row.stage)) sample.stages.insert({row.stage, row.pass});
  for (const LayerRow& row : analysis.layers) sample.layers.insert(row.layer.value);
  for (const StepRow& row : analysis.steps) {
    sample.kinds.insert(row.kind);
    StepFigures figures;
    for (std::size_t device = 0; device < row.cells.size(); ++device) {
      if (!row.cells[device]) continue;
      const StepCell& cell = *row.cells[device];
      // Where no bounds were recorded, the rank's mean span a step stands for each of its steps.
      const double length =
          cell.duration ? static_cast<double>(*cell.duration)
                        : static_cast<double>(analysis.ranks[device].span) / analysis.selection.devices[device].per();
      figures.rank(length, cell.exposure);
      for (const StagePart& part : cell.stages) figures.stage(part.stage, part.pass, part.cell);
    }
    figures.append(sample);
  }
  if (analysis.steps.empty()) {  // one sample: the window
    StepFigures figures;
    for (const Overlap& one : analysis.ranks)
      figures.rank(static_cast<double>(one.span), {one.comm, one.exposed, one.weighed_comm, one.weighed_exposed});
    for (const StageRow& row : analysis.stages)
      for (const auto& cell : row.cells)
        if (cell) figures.stage(row.stage, row.pass, *cell);
    figures.append(sample);
  }
  return sample;
}

}  // namespace moescope
