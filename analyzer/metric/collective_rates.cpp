// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/collective_rates.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

namespace moescope {

double bus_factor(std::string_view op, std::int32_t group_size) {
  std::string word;  // letters alone: "reduce_scatter_tensor", "ReduceScatter"
  for (const char c : op)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const double n = group_size;
  if (word.find("allreduce") != std::string::npos) return 2 * (n - 1) / n;
  for (const char* part : {"gather", "scatter", "alltoall"})
    if (word.find(part) != std::string::npos) return (n - 1) / n;
  return 1;
}

std::vector<CollectiveRateRow> collective_rates(const Trace& trace, const Selection& selection) {
  std::map<DeviceKey, std::size_t> devices;
  for (std::size_t device = 0; device < selection.devices.size(); ++device)
    devices[selection.devices[device].device] = device;
  std::map<std::tuple<std::string, std::int32_t>, CollectiveRateRow> rows;
  if (trace.collectives.empty()) return {};
  std::vector<bool> chosen(trace.spans.size());
  for (const DeviceRows& device : selection.devices)
    for (const std::size_t row : device.rows) chosen[row] = true;
  for (const Collective& call : trace.collectives) {
    if (call.span < 0 || !call.op.valid()) continue;
    const auto span = static_cast<std::size_t>(call.span);
    const Track& track = trace.track_of(span);
    const auto device = devices.find(DeviceKey{track.rank, track.device});
    if (device == devices.end()) continue;
    if (!chosen[span]) continue;
    const std::string& op = trace.names[static_cast<std::size_t>(call.op.value)];
    CollectiveRateRow& row = rows[{op, call.group_size}];
    row.op = op;
    row.group_size = call.group_size;
    row.cells.resize(selection.devices.size());
    std::optional<CollectiveRateCell>& cell = row.cells[device->second];
    if (!cell) cell = CollectiveRateCell{};
    const Ns time = trace.spans.duration[span];
    ++cell->count;
    cell->time += time;
    const std::int64_t bytes = std::max(call.bytes_in, call.bytes_out);
    if (bytes < 0 || time <= 0) continue;
    ++cell->with_bytes;
    cell->time_with_bytes += time;
    cell->bytes += bytes;
    cell->best_bytes_per_ns = std::max(cell->best_bytes_per_ns, static_cast<double>(bytes) / static_cast<double>(time));
  }
  std::vector<CollectiveRateRow> table;
  for (auto& [key, row] : rows) table.push_back(std::move(row));
  return table;
}

}  // namespace moescope
