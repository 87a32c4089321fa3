// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/run_facts.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace moescope {

RunFacts run_facts(const Trace& trace, const Analysis& analysis) {
  RunFacts facts;
  std::set<RankId> ranks;
  std::set<Source> sources;
  std::vector<bool> met(trace.contexts.size());  // contexts of work in scope
  std::set<ClockKind> clocks;
  for (const DeviceRows& device : analysis.selection.devices) {
    ranks.insert(device.device.rank);
    clocks.insert(trace.clocks[static_cast<std::size_t>(device.clock.value)].kind);
    // Rows come in the order of time.
    const Ns begin = device.rows.empty() ? 0 : analysis.selection.interval(trace, device.rows.front()).begin;
    Ns end = begin;
    std::int32_t last_context = -1;
    for (const std::size_t row : device.rows) {
      end = std::max(end, analysis.selection.interval(trace, row).end);
      if (trace.spans.context[row] == last_context) continue;  // neighbours mostly share theirs
      last_context = trace.spans.context[row];
      met[static_cast<std::size_t>(last_context)] = true;
    }
    facts.window_ns = std::max(facts.window_ns, end - begin);
  }
  for (std::size_t i = 0; i < met.size(); ++i)
    if (met[i]) sources.insert(trace.contexts[i].source);
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
