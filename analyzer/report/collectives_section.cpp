// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/collectives_section.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/report/figure_json.h"
#include "analyzer/report/figure_text.h"

namespace moescope {
namespace {

constexpr std::size_t kShown = 12;

}  // namespace

void collectives_text(const ReportInput& input, TextPage& page) {
  const Analysis& analysis = input.analysis;
  // Without sizes the stages' table says all there is.
  const bool any = std::any_of(analysis.collectives.begin(), analysis.collectives.end(), [](const auto& collective) {
    return std::any_of(collective.cells.begin(), collective.cells.end(),
                       [](const auto& cell) { return cell && cell->with_bytes > 0; });
  });
  if (!any) return;
  page.title("Collectives", "bytes are logical, times include waiting");
  const FigureText figures(analysis);
  const auto rate = [&](std::string_view id, std::size_t row) {
    const std::string text = figures.over(Grain::kCollective, id, row);
    return text.empty() ? text : text + " GB/s";
  };
  TextTable table({"operation", "ranks", "count", "time", "bytes", "algbw", "busbw", "best busbw"});
  const std::vector<std::size_t> rows = figures.largest(Grain::kCollective, "time_ns", kShown);
  for (const std::size_t row : rows) {
    const CollectiveRateRow& collective = analysis.collectives[row];
    table.row({collective.op, collective.group_size > 0 ? std::to_string(collective.group_size) : "?",
               figures.over(Grain::kCollective, "count", row), figures.over(Grain::kCollective, "time_ns", row),
               figures.over(Grain::kCollective, "logical_bytes", row), rate("algbw_gb_s", row), rate("busbw_gb_s", row),
               rate("busbw_best_gb_s", row)});
  }
  page.table(table);
  if (analysis.collectives.size() > rows.size())
    page.line(page.dim(fmt::format("... and {} more, shorter", analysis.collectives.size() - rows.size())));
}

void collectives_json(const ReportInput& input, JsonWriter& json) {
  json.begin_array();
  for (std::size_t row = 0; row < input.analysis.collectives.size(); ++row) {
    json.begin_object();
    json.field("op", input.analysis.collectives[row].op);
    if (input.analysis.collectives[row].group_size > 0)
      json.field("group_size", input.analysis.collectives[row].group_size);
    write_figures(json, input.analysis, Grain::kCollective, row);
    json.end_object();
  }
  json.end_array();
}

}  // namespace moescope
