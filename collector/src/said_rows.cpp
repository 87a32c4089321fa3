// SPDX-License-Identifier: Apache-2.0
#include "collector/src/said_rows.h"

#include "collector/src/clock_sync.h"

namespace moescope::collector {

SaidRows::SaidRows(trace::TraceWriter& writer, LaneBook& lanes, std::int32_t rank)
    : writer_(writer), lanes_(lanes), rank_(rank) {}

void SaidRows::take(const SaidOnce& said) {
  std::visit([this](const auto& what) { take(what); }, said);
}

void SaidRows::know(std::int32_t rank) {
  trace::RankRow row;
  row.rank = rank;
  lanes_.know_rank(row);
}

void SaidRows::take(const trace::DeviceRow& row) {
  trace::DeviceRow device = row;
  if (device.rank < 0) device.rank = rank_;
  know(device.rank);
  writer_.device(device);
}

// Every rank of a process says its groups: the same group is stored once.
void SaidRows::take(const trace::CommGroupRow& row) {
  std::string key = std::to_string(row.kind) + "|" + row.name;
  for (const std::int32_t rank : row.ranks) key += "|" + std::to_string(rank);
  const auto [known, added] = groups_.try_emplace(key, static_cast<std::int32_t>(groups_.size()));
  if (!added) return;
  trace::CommGroupRow group = row;
  group.id = known->second;
  writer_.comm_group(group);
}

void SaidRows::take(const CounterReading& reading) {
  trace::LinkRow link;
  link.rank = reading.rank < 0 ? rank_ : reading.rank;
  link.kind = reading.kind;
  link.name = reading.link;
  const std::string key = std::to_string(link.rank) + "|" + std::to_string(link.kind) + "|" + link.name;
  const auto [known, added] = links_.try_emplace(key, static_cast<std::int32_t>(links_.size()));
  link.id = known->second;
  if (added) {
    know(link.rank);
    writer_.link(link);
  }
  writer_.link_sample({link.id, lanes_.relative(kMonotonicClock, reading.time_ns), reading.tx_bytes, reading.rx_bytes});
}

void SaidRows::take(const StepWindow& window) {
  trace::StepRow row;
  row.rank = window.rank;
  row.step = window.step;
  row.number = window.number;
  row.kind = window.kind;
  row.clock = static_cast<std::int32_t>(window.clock);
  row.start_rel = lanes_.relative(window.clock, window.start_ns);
  row.dur = window.end_ns - window.start_ns;
  know(row.rank);
  writer_.step(row);
}

void SaidRows::take(const NodeOfRank& said) {
  trace::RankRow row;
  row.rank = said.rank < 0 ? rank_ : said.rank;
  row.node = said.node;
  lanes_.know_rank(row);
}

void SaidRows::take(const RouterLoads& rows) {
  if (!rows.empty()) know(rows.front().rank);
  for (const trace::RouterLoadRow& row : rows) writer_.router_load(row);
}

void SaidRows::take(const PeerTraffics& rows) {
  if (!rows.empty()) know(rows.front().src_rank);
  for (const trace::PeerTrafficRow& row : rows) writer_.peer_traffic(row);
}

}  // namespace moescope::collector
