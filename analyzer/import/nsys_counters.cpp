// SPDX-License-Identifier: Apache-2.0
// Samples of GPUs (percent of peak, clocks) and of network cards (bytes).
#include <algorithm>
#include <cctype>
#include <cmath>

#include "analyzer/import/nsys_import.h"

namespace moescope {
namespace {

// "NVLink TX Responses User Data [Throughput %]": nvlink_tx_responses_user_data_percent
struct Quantity {
  std::string name;
  double scale = 1;
};
Quantity quantity_of(std::string_view said) {
  Quantity quantity;
  std::string_view words = said, unit;
  if (const std::size_t at = said.rfind('['); at != std::string_view::npos && said.ends_with(']')) {
    words = said.substr(0, at);
    unit = said.substr(at + 1, said.size() - at - 2);
  }
  const auto add = [&quantity](std::string_view text) {
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        quantity.name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (!quantity.name.empty() && quantity.name.back() != '_')
        quantity.name += '_';
    }
    while (!quantity.name.empty() && quantity.name.back() == '_') quantity.name.pop_back();
  };
  add(words);
  if (unit.find('%') != std::string_view::npos) {
    quantity.name += "_percent";
  } else if (unit == "MHz") {  // the values are in Hz, whatever the name says
    quantity.name += "_mhz";
    quantity.scale = 1e-6;
  } else if (!unit.empty()) {
    quantity.name += '_';
    add(unit);
  }
  return quantity;
}

void gpu_metrics(NsysImport& import) {
  const std::string table = "GPU_METRICS", names = "TARGET_INFO_GPU_METRICS";
  if (!import.file.has(table)) return;
  // A metric's number may mean another thing for another type of source.
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<NameId, double>> quantities;
  if (import.file.has(names))
    for (NsysRows rows(import.file, names, {{"typeId"}, {"metricId"}, {"metricName"}}); rows.next();) {
      const Quantity quantity = quantity_of(rows.text(2));
      quantities[{rows.integer_or(0, -1), rows.integer_or(1, -1)}] = {import.builder.name(quantity.name),
                                                                      quantity.scale};
    }
  std::map<std::int64_t, std::vector<DeviceKey>> devices;  // by GPU
  for (const std::int64_t process : import.processes.ranked())
    for (const std::int32_t device : import.processes.devices_of(process))
      devices[import.gpu(process, device)].push_back({import.processes.rank_of(process), device});

  std::uint64_t unknown = 0, of_others = 0;
  NsysRows rows(import.file, table, {needed("timestamp"), needed("typeId"), needed("metricId"), needed("value")});
  for (Ns time = 0, none = 0; rows.next(); import.progress(rows)) {
    const auto at = rows.integer(0);
    if (!import.times(at, at, &time, &none)) continue;
    const std::int64_t type = rows.integer_or(1, 0);
    auto quantity = quantities.find({type, rows.integer_or(2, -1)});
    if (quantity == quantities.end()) quantity = quantities.find({-1, rows.integer_or(2, -1)});
    if (quantity == quantities.end()) {
      ++unknown;
      continue;
    }
    const auto found = devices.find(type & 0xff);  // the type's low byte numbers the GPU
    if (found == devices.end()) {
      ++of_others;
      continue;
    }
    const double value = rows.real_or(3, 0) * quantity->second.second;
    if (!std::isfinite(value)) continue;
    for (const DeviceKey key : found->second)
      import.builder.trace().device_samples.push_back({key, time, quantity->second.first, value});
  }
  import.done(table);
  if (unknown > 0)
    import.diagnostic("warning", "metric_unnamed", unknown, import.file.path() + ": GPU metrics without a name");
  if (of_others > 0)
    import.diagnostic("info", "event_left_out", of_others, "GPU metrics of devices that no rank of the file uses");
}

struct NicCounter {
  bool sent = false;
  bool a_rate = false;  // bytes a millisecond, else bytes of the interval
};

// Running totals of bytes, one link a card. A sample's bytes are those of its interval.
void nic_metrics(NsysImport& import) {
  const std::string table = "NET_NIC_METRIC", names = "TARGET_INFO_NETWORK_METRICS";
  const std::vector<std::int64_t> ranks = import.processes.ranked();
  if (!import.file.has(table) || !import.file.has(names) || ranks.empty()) return;
  std::map<std::pair<std::int64_t, std::int64_t>, NicCounter> counters;
  for (NsysRows rows(import.file, names, {{"metricsListId"}, {"metricsIdx"}, {"name"}, {"unit"}}); rows.next();) {
    const std::string_view name = rows.text(2), unit = rows.text(3);
    const bool sent = name.ends_with("Bytes sent"), received = name.ends_with("Bytes received");
    if ((!sent && !received) || name.starts_with("IPoIB")) continue;  // IPoIB's bytes are InfiniBand's too
    counters[{rows.integer_or(0, -1), rows.integer_or(1, -1)}] = {sent, unit.find("/ms") != std::string_view::npos};
  }
  std::map<std::int64_t, std::string> cards;
  if (import.file.has("NIC_ID_MAP") && import.file.has("TARGET_INFO_NIC_INFO")) {
    std::map<std::int64_t, std::string> by_nic;
    for (NsysRows rows(import.file, "TARGET_INFO_NIC_INFO", {{"nicId"}, {"name"}}); rows.next();)
      by_nic[rows.integer_or(0, -1)] = rows.text(1);
    for (NsysRows rows(import.file, "NIC_ID_MAP", {{"nicId"}, {"globalId"}}); rows.next();)
      cards[rows.integer_or(1, -1)] = by_nic[rows.integer_or(0, -1)];
  }

  struct Sum {
    double sent = 0, received = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<Ns, Sum>> sums;  // by card and port, by the interval's end
  std::uint64_t left_out = 0;
  NsysRows rows(
      import.file, table,
      {needed("start"), needed("end"), {"globalId"}, {"portId"}, {"metricsListId"}, {"metricsIdx"}, needed("value")});
  for (Ns start = 0, duration = 0; rows.next(); import.progress(rows)) {
    if (!import.times(rows.integer(0), rows.integer(1), &start, &duration)) continue;
    const auto counter = counters.find({rows.integer_or(4, -1), rows.integer_or(5, -1)});
    if (counter == counters.end()) {
      ++left_out;
      continue;
    }
    double bytes = rows.real_or(6, 0);
    if (counter->second.a_rate) bytes *= static_cast<double>(duration) / 1e6;
    if (!std::isfinite(bytes) || bytes < 0) continue;
    Sum& sum = sums[{rows.integer_or(2, -1), rows.integer_or(3, -1)}][start + duration];
    (counter->second.sent ? sum.sent : sum.received) += bytes;
  }
  import.done(table);
  for (const auto& [card, samples] : sums) {
    Link link;
    link.rank = import.processes.rank_of(ranks.front());  // a card belongs to the host, not to a rank
    link.kind = LinkKind::kINFINIBAND;
    const auto named = cards.find(card.first);
    link.name = named != cards.end() && !named->second.empty() ? named->second : "nic " + std::to_string(card.first);
    if (card.second > 1) link.name += " port " + std::to_string(card.second);
    const LinkId id = import.builder.link(std::move(link));
    double sent = 0, received = 0;
    for (const auto& [time, sum] : samples) {
      sent = std::min(sent + sum.sent, 9e18);
      received = std::min(received + sum.received, 9e18);
      import.builder.trace().link_samples.push_back(
          {id, time, static_cast<std::int64_t>(std::llround(sent)), static_cast<std::int64_t>(std::llround(received))});
    }
  }
  if (left_out > 0)
    import.diagnostic("info", "event_left_out", left_out, "network metrics that are not bytes of a card");
}

}  // namespace

void read_nsys_counters(NsysImport& import) {
  gpu_metrics(import);
  nic_metrics(import);
}

}  // namespace moescope
