// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/figure_text.h"

#include <algorithm>
#include <numeric>

#include "analyzer/report/text_table.h"

namespace moescope {

std::string FigureText::in_unit(const Metric& metric, double value) {
  if (metric.unit == "ns") return time_text(value);
  if (metric.unit == "B") return bytes_text(value);
  if (metric.id.ends_with("fraction")) return percent_text(value);
  return number_text(value);
}

std::string FigureText::over(Grain grain, std::string_view id, std::size_t row, bool worst) const {
  const Metric& metric = *find_metric(grain, id);
  const auto figure = evaluate_over_ranks(metric, analysis_, row);
  return figure ? in_unit(metric, worst ? figure->worst : figure->median) : std::string();
}

std::string FigureText::plain(Grain grain, std::string_view id, std::size_t row, std::size_t device) const {
  const Metric& metric = *find_metric(grain, id);
  const auto figure = evaluate(metric, analysis_, row, device);
  return figure ? in_unit(metric, *figure) : std::string();
}

std::vector<std::size_t> FigureText::largest(Grain grain, std::string_view id, std::size_t shown) const {
  std::vector<std::size_t> order(row_count(analysis_, grain));
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= shown) return order;
  std::vector<double> size;
  for (const std::size_t row : order) {
    const auto figure = evaluate_over_ranks(*find_metric(grain, id), analysis_, row);
    size.push_back(figure ? figure->median : -1);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  order.resize(shown);
  return order;
}

}  // namespace moescope
