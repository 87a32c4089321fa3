// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/arrival_section.h"

#include <fmt/format.h>

#include "analyzer/report/figure_json.h"
#include "analyzer/report/figure_text.h"

namespace moescope {
namespace {

constexpr std::size_t kWorstShown = 3;

// "rank 2 (81 %)": who comes last most often, of the ranks that took part.
std::string last_of(const Analysis& analysis, std::size_t row) {
  const ArrivalRow& stage = analysis.arrivals.rows[row];
  std::size_t most = 0, total = 0, who = 0;
  for (std::size_t device = 0; device < stage.cells.size(); ++device) {
    if (!stage.cells[device]) continue;
    total += stage.cells[device]->last;
    if (stage.cells[device]->last > most) most = stage.cells[device]->last, who = device;
  }
  if (total == 0) return "";
  return fmt::format("rank {} ({})", analysis.selection.devices[who].device.rank.value,
                     percent_text(static_cast<double>(most) / static_cast<double>(total)));
}

}  // namespace

void arrival_text(const ReportInput& input, TextPage& page) {
  const Analysis& analysis = input.analysis;
  const Arrivals& arrivals = analysis.arrivals;
  if (arrivals.rows.empty()) return;
  page.title("Between ranks: waiting for the last to come, and transfer", "median and worst over ranks");
  const FigureText figures(analysis);
  TextTable table({"stage", "count", "wait", "worst", "transfer", "delay by a rank", "most often last"});
  for (std::size_t row = 0; row < arrivals.rows.size(); ++row)
    table.row({std::string(name(arrivals.rows[row].stage)), figures.over(Grain::kArrival, "count", row),
               figures.over(Grain::kArrival, "arrival_wait_ns", row),
               figures.over(Grain::kArrival, "arrival_wait_ns", row, true),
               figures.over(Grain::kArrival, "transfer_ns", row), figures.over(Grain::kArrival, "delay_ns", row, true),
               last_of(analysis, row)});
  page.table(table);
  for (std::size_t i = 0; i < arrivals.worst.size() && i < kWorstShown; ++i) {
    const WorstInstance& worst = arrivals.worst[i];
    if (worst.wait <= worst.transfer) break;
    page.line(fmt::format("longest: {} waited {} for rank {}, then moved for {}", name(worst.stage),
                          time_text(static_cast<double>(worst.wait)), worst.last.value,
                          time_text(static_cast<double>(worst.transfer))));
  }
  const std::string error = time_text(static_cast<double>(arrivals.clocks->residual_p95));
  if (arrivals.clocks->fitted)
    page.line(
        fmt::format("The ranks' clocks were tied by the ends of what they did together: a wait is known to within "
                    "{} (95 % of them).",
                    error));
  else if (arrivals.clocks->residual_p95 > 0)
    page.line(
        fmt::format("Ends of the same communication lie within {} of each other (95 % of them): no wait is known "
                    "better than that.",
                    error));
}

void arrival_json(const ReportInput& input, JsonWriter& json) {
  json.begin_array();
  for (std::size_t row = 0; row < input.analysis.arrivals.rows.size(); ++row) {
    json.begin_object();
    json.field("stage", name(input.analysis.arrivals.rows[row].stage));
    write_figures(json, input.analysis, Grain::kArrival, row);
    json.end_object();
  }
  json.end_array();
}

void arrival_abstain(const ReportInput& input, std::vector<Abstention>& list) {
  const Arrivals& arrivals = input.analysis.arrivals;
  if (!arrivals.clocks) list.push_back({"arrival", arrivals.clocks.reason()});
  for (const std::string& reason : arrivals.left_out) list.push_back({"arrival", reason});
}

}  // namespace moescope
