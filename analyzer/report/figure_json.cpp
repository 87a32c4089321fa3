// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/figure_json.h"

namespace moescope {

void write_figures(JsonWriter& json, const Analysis& analysis, Grain grain, std::size_t row) {
  for (const Metric& metric : metrics()) {
    if (metric.grain != grain) continue;
    if (!metric.per_device) {
      if (const Answer<double> answer = evaluate(metric, analysis, row)) json.field(metric.id, *answer);
      continue;
    }
    const Answer<RankFigure> answer = evaluate_over_ranks(metric, analysis, row);
    if (!answer) continue;
    json.key(metric.id);
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("median", answer->median);
    json.field("worst", answer->worst);
    json.field("worst_rank", answer->worst_rank.value);
    json.end_object();
  }
}

void write_device_figures(JsonWriter& json, const Analysis& analysis, Grain grain, std::size_t row,
                          std::size_t device) {
  std::string_view open;  // the object whose fields are being written
  for (const Metric& metric : metrics()) {
    if (metric.grain != grain) continue;
    const Answer<double> answer = evaluate(metric, analysis, row, device);
    const std::size_t dot = metric.id.find('.');
    const std::string_view object = dot == std::string_view::npos ? std::string_view() : metric.id.substr(0, dot);
    if (!open.empty() && open != object) {
      json.end_object();
      open = {};
    }
    if (!answer) continue;
    if (!object.empty() && open.empty()) {
      json.key(object);
      json.begin_object(JsonWriter::Layout::kLine);
      open = object;
    }
    json.field(object.empty() ? metric.id : metric.id.substr(dot + 1), *answer);
  }
  if (!open.empty()) json.end_object();
}

}  // namespace moescope
