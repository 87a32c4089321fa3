// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/run_facts.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "analyzer/model/parallel.h"

namespace moescope {

RunFacts run_facts(const Trace& trace, const Analysis& analysis) {
  RunFacts facts;
  std::set<RankId> ranks;
  std::set<Source> sources;
  std::set<ClockKind> clocks;
  const std::vector<DeviceRows>& devices = analysis.selection.devices;
  struct Share {
    Ns window = 0;
    std::set<Source> sources;
  };
  std::vector<Share> parts(devices.size());
  each_in_parallel(parts.size(), trace.spans.size(), [&] {
    return [&](std::size_t device) {
      const std::vector<std::uint32_t>& rows = devices[device].rows;
      if (rows.empty()) return;
      // Rows come in the order of time.
      const Ns begin = analysis.selection.interval(trace, rows.front()).begin;
      Ns end = begin;
      std::vector<bool> met(trace.contexts.size());
      for (const std::size_t row : rows) {
        end = std::max(end, analysis.selection.interval(trace, row).end);
        met[static_cast<std::size_t>(trace.spans.context[row])] = true;
      }
      parts[device].window = end - begin;
      for (std::size_t i = 0; i < met.size(); ++i)
        if (met[i]) parts[device].sources.insert(trace.contexts[i].source);
    };
  });
  for (std::size_t device = 0; device < devices.size(); ++device) {
    ranks.insert(devices[device].device.rank);
    clocks.insert(trace.clocks[static_cast<std::size_t>(devices[device].clock.value)].kind);
    facts.window_ns = std::max(facts.window_ns, parts[device].window);
    sources.merge(parts[device].sources);
  }
  facts.devices = analysis.selection.devices.size();
  facts.ranks = ranks.size();
  facts.layers = analysis.layers.size();
  facts.steps = analysis.steps.size();
  facts.per_step = analysis.selection.per_step;
  for (const Source source : sources) facts.sources.emplace_back(name(source));
  for (const ClockKind clock : clocks)
    if (clock == ClockKind::kVIRTUAL || clock == ClockKind::kPACED) facts.sources.emplace_back(name(clock));
  facts.virtual_clock = !clocks.empty() && std::all_of(clocks.begin(), clocks.end(),
                                                       [](ClockKind kind) { return kind == ClockKind::kVIRTUAL; });
  for (const SourceFile& file : trace.files)
    if (file.cut_short) {
      facts.cut_short = true;
      if (facts.cut_short_reason.empty()) facts.cut_short_reason = file.cut_short_reason;
    }
  for (const Device& device : trace.devices) {
    const auto traits = [](const Device& d) {
      return std::tie(d.name, d.peak_flops, d.link_gb_s, d.link_kind, d.sm_count, d.source);
    };
    const auto alike = std::find_if(facts.hardware.begin(), facts.hardware.end(),
                                    [&](const Hardware& known) { return traits(known.device) == traits(device); });
    if (alike != facts.hardware.end())
      ++alike->count;
    else
      facts.hardware.push_back({device, 1});
  }
  return facts;
}

}  // namespace moescope
