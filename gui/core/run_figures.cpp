// SPDX-License-Identifier: Apache-2.0
#include "gui/core/run_figures.h"

#include <algorithm>

namespace moescope::gui {
namespace {

// The middle value; of an even number, the mean of the two in the middle.
template <class T>
std::optional<T> median(std::vector<T> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void add_quantity(double& sum, bool& unknown, double quantity) {
  if (quantity < 0)
    unknown = true;
  else
    sum = std::max(sum, 0.0) + quantity;
}

}  // namespace

DeviceFigures device_figures(const Trace& trace, const Attribution& attribution, const DeviceActivity& activity) {
  DeviceFigures figures;
  figures.device = activity.device;
  const IntervalSet all = activity.all();
  figures.span = all.hull().length();
  figures.busy = all.measure();
  figures.compute = activity.compute.measure();
  figures.communication = activity.communication.measure();
  figures.control = activity.control.subtract(activity.payload).measure();
  const IntervalSet exposed = activity.exposed();
  figures.exposed = exposed.measure();
  if (figures.communication > 0)
    figures.hidden_fraction = 1 - static_cast<double>(figures.exposed) / static_cast<double>(figures.communication);

  std::vector<Ns> steps;
  for (const Step& step : trace.steps)
    if (step.rank == activity.device.rank && step.ended && step.window.length() > 0)
      steps.push_back(step.window.length());
  figures.steps = steps.size();
  figures.step = median(steps);

  std::array<std::vector<Interval>, kStageCount> work, communication;
  std::array<bool, kStageCount> bytes_unknown{}, flops_unknown{};
  for (const Track& track : trace.tracks) {
    if (!track.is_execution() || DeviceKey{track.rank, track.device} != activity.device ||
        track.clock != activity.clock)
      continue;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      const ActivityClass kind = attribution.activity[row];
      if (kind == ActivityClass::kNone) continue;
      const auto role = static_cast<std::size_t>(attribution.role[row]);
      StageFigures& stage = figures.by_role[role];
      ++stage.spans;
      work[role].push_back(trace.spans.interval(row));
      if (kind == ActivityClass::kCommunication) communication[role].push_back(trace.spans.interval(row));
      if (!is_control(attribution.part[row]))
        add_quantity(stage.bytes, bytes_unknown[role], static_cast<double>(trace.spans.bytes[row]));
      add_quantity(stage.flops, flops_unknown[role], trace.spans.flops[row]);
    }
  }
  for (std::size_t role = 0; role < kStageCount; ++role) {
    StageFigures& stage = figures.by_role[role];
    stage.time = IntervalSet::from(std::move(work[role])).measure();
    stage.exposed = IntervalSet::from(std::move(communication[role])).intersect(exposed).measure();
    if (bytes_unknown[role]) stage.bytes = -1;
    if (flops_unknown[role]) stage.flops = -1;
  }
  return figures;
}

RunFigures run_figures(std::vector<DeviceFigures> devices) {
  RunFigures run;
  std::vector<Ns> steps;
  std::vector<double> exposed, hidden, share;
  Ns most = 0;
  for (const DeviceFigures& device : devices) {
    if (device.step) steps.push_back(*device.step);
    if (!device.hidden_fraction) continue;
    const double per = static_cast<double>(std::max<std::size_t>(device.steps, 1));
    exposed.push_back(static_cast<double>(device.exposed) / per);
    hidden.push_back(*device.hidden_fraction);
    if (device.span > 0) share.push_back(static_cast<double>(device.exposed) / static_cast<double>(device.span));
    if (device.exposed > most || !run.worst) most = device.exposed, run.worst = device.device;
  }
  run.step = median(std::move(steps));
  run.exposed = median(std::move(exposed));
  run.hidden_fraction = median(std::move(hidden));
  run.exposed_share = median(std::move(share));
  run.devices = std::move(devices);
  return run;
}

}  // namespace moescope::gui
