// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/kernel_shapes_section.h"

#include <algorithm>
#include <vector>

#include "analyzer/model/parallel.h"
#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/model_from_names.h"

namespace moescope {
namespace {

constexpr std::size_t kMostLines = 12;  // in the text

struct Row {
  NamedShape shape;
  Ns time = 0;  // of its spans in the scope, summed
  std::int64_t count = 0;
};

// Of the kernels that ran in the scope, the longest first.
std::vector<Row> rows(const ReportInput& input) {
  std::vector<Row> rows;
  for (const NamedShape& one : named_shapes(input.trace)) rows.push_back({one, 0, 0});
  if (rows.empty()) return rows;
  std::vector<std::int32_t> row_of_name(input.trace.names.size(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    row_of_name[static_cast<std::size_t>(rows[i].shape.name)] = static_cast<std::int32_t>(i);
  const Selection& selection = input.analysis.selection;
  std::vector<std::vector<Row>> parts(selection.devices.size());
  each_in_parallel(parts.size(), input.trace.spans.size(), [&] {
    return [&](std::size_t device) {
      std::vector<Row>& part = parts[device] = rows;
      for (const std::size_t row : selection.devices[device].rows) {
        const std::int32_t i = row_of_name[static_cast<std::size_t>(input.trace.spans.name[row])];
        if (i < 0 || input.trace.context_of(row).kind != SpanKind::kKERNEL) continue;
        part[static_cast<std::size_t>(i)].time += selection.interval(input.trace, row).length();
        ++part[static_cast<std::size_t>(i)].count;
      }
    };
  });
  for (const std::vector<Row>& part : parts)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].time += part[i].time;
      rows[i].count += part[i].count;
    }
  std::erase_if(rows, [](const Row& row) { return row.count == 0; });
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time > b.time; });
  return rows;
}

std::string kernel(const ReportInput& input, const Row& row) {
  return readable_kernel_name(input.trace.names[static_cast<std::size_t>(row.shape.name)]);
}

std::string number(std::int32_t value) {
  return value < 0 ? "" : std::to_string(value);
}

}  // namespace

void kernel_shapes_text(const ReportInput& input, TextPage& page) {
  const std::vector<Row> all = rows(input);
  if (all.empty()) return;
  page.title("Kernels' shapes", "as their names state them");
  TextTable table({"kernel", "time", "hidden", "intermediate", "experts", "top-k", "ranks", "experts a wave", "groups",
                   "N x K", "tile M x N x K", "stages", "SMs"});
  for (std::size_t i = 0; i < std::min(all.size(), kMostLines); ++i) {
    const KernelShape& shape = all[i].shape.shape;
    std::string name = kernel(input, all[i]);
    if (name.starts_with("void ")) name.erase(0, 5);
    name.resize(std::min(name.find('<'), name.size()));
    const auto product = [](std::initializer_list<std::int32_t> values) {
      std::string text;
      for (const std::int32_t value : values) {
        if (value < 0) return std::string();
        text += (text.empty() ? "" : " x ") + std::to_string(value);
      }
      return text;
    };
    table.row({name_text(name), time_text(static_cast<double>(all[i].time)), number(shape.hidden),
               number(shape.intermediate), number(shape.experts), number(shape.top_k), number(shape.ranks),
               number(shape.experts_per_wave), number(shape.groups), product({shape.n, shape.k}),
               product({shape.block_m, shape.block_n, shape.block_k}), number(shape.pipeline_stages),
               number(shape.sms)});
  }
  page.table(table);
  const std::string source = input.trace.model ? input.trace.model->source : "";
  if (const std::size_t from = source.find(kFromKernelNames); from != std::string::npos)
    page.line("The record itself says nothing of " + source.substr(from + kFromKernelNames.size()) +
              ": these names stand in for it.");
  if (all.size() > kMostLines) page.line(std::to_string(all.size() - kMostLines) + " more in the JSON report");
}

void kernel_shapes_json(const ReportInput& input, JsonWriter& json) {
  json.begin_array();
  for (const Row& row : rows(input)) {
    const KernelShape& shape = row.shape.shape;
    const auto known = [&](std::string_view name, auto value) {
      if (value >= 0) json.field(name, value);
    };
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("kernel", kernel(input, row));
    json.field("kind", name(shape.kind));
    json.field("count", row.count);
    json.field("time_ns", row.time);
    known("hidden", shape.hidden);
    known("intermediate", shape.intermediate);
    known("experts", shape.experts);
    known("shared_experts", shape.shared_experts);
    known("top_k", shape.top_k);
    known("ranks", shape.ranks);
    known("max_tokens_per_rank", shape.max_tokens);
    known("experts_per_wave", shape.experts_per_wave);
    known("groups", shape.groups);
    known("n", shape.n);
    known("k", shape.k);
    known("block_m", shape.block_m);
    known("block_n", shape.block_n);
    known("block_k", shape.block_k);
    known("pipeline_stages", shape.pipeline_stages);
    known("sms", shape.sms);
    known("dispatch_bytes_per_element", shape.dispatch_bytes);
    known("combine_bytes_per_element", shape.combine_bytes);
    json.end_object();
  }
  json.end_array();
}

}  // namespace moescope
