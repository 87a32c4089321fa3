// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/comm_rows_section.h"

#include <fmt/format.h>

#include "analyzer/report/figure_json.h"
#include "analyzer/report/figure_text.h"

namespace moescope {
namespace {

constexpr std::size_t kWavesShown = 12;

template <class Name>
TextTable table_of(const Analysis& analysis, Grain grain, const char* what, const std::vector<std::size_t>& rows,
                   Name name_of) {
  const FigureText figures(analysis);
  TextTable table({what, "comm", "exposed", "worst", "hidden", "experts"});
  for (const std::size_t row : rows)
    table.row({name_of(row), figures.over(grain, "comm_ns", row), figures.over(grain, "exposed_comm_ns", row),
               analysis.selection.devices.size() > 1 ? figures.over(grain, "exposed_comm_ns", row, true) : "",
               figures.over(grain, "hidden_fraction", row), figures.over(grain, "expert_compute_ns", row)});
  return table;
}

template <class Identity>
void rows_json(const Analysis& analysis, Grain grain, JsonWriter& json, Identity identity) {
  json.begin_array();
  for (std::size_t row = 0; row < row_count(analysis, grain); ++row) {
    json.begin_object();
    identity(row);
    write_figures(json, analysis, grain, row);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void passes_text(const ReportInput& input, TextPage& page) {
  const auto& passes = input.analysis.comm_rows.passes;
  if (passes.size() < 2) return;  // one pass is the whole
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < passes.size(); ++row) rows.push_back(row);
  page.title("Passes", input.analysis.selection.devices.size() > 1 ? "median over ranks" : "");
  page.table(table_of(input.analysis, Grain::kPass, "pass", rows,
                      [&](std::size_t row) { return std::string(name(passes[row].pass)); }));
}
void passes_json(const ReportInput& input, JsonWriter& json) {
  rows_json(input.analysis, Grain::kPass, json,
            [&](std::size_t row) { json.field("pass", name(input.analysis.comm_rows.passes[row].pass)); });
}

void by_wave_text(const ReportInput& input, TextPage& page) {
  const auto& waves = input.analysis.comm_rows.waves;
  if (waves.size() < 2) return;
  const std::vector<std::size_t> rows =
      FigureText(input.analysis).largest(Grain::kWave, "exposed_comm_ns", kWavesShown);
  page.title("Wave by wave", "over all layers");
  page.table(table_of(input.analysis, Grain::kWave, "wave", rows,
                      [&](std::size_t row) { return std::to_string(waves[row].wave.value); }));
  if (waves.size() > rows.size())
    page.line(
        page.dim(fmt::format("... and {} more waves with less exposed communication", waves.size() - rows.size())));
}
void by_wave_json(const ReportInput& input, JsonWriter& json) {
  rows_json(input.analysis, Grain::kWave, json,
            [&](std::size_t row) { json.field("wave", input.analysis.comm_rows.waves[row].wave.value); });
}

}  // namespace moescope
