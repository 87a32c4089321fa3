// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/model_from_names.h"

#include <algorithm>
#include <set>
#include <string>

#include "analyzer/stage/kernel_name.h"

namespace moescope {
namespace {

template <class Value>
struct Field {
  const char* name;
  Value Model::*member;
  std::set<Value> said;
};

std::string listed(const std::set<std::int32_t>& values) {
  std::string text;
  for (const std::int32_t value : values) text += (text.empty() ? "" : " and ") + std::to_string(value);
  return text;
}
std::string listed(const std::set<double>& values) {
  return std::to_string(values.size()) + " different values";
}

// A grouped GEMM whose rows or columns are the hidden width is one of the expert's two projections: L2 gives N = hidden
// from K = intermediate, L1 gives N = one or two intermediates from K = hidden.
void expert_widths(const std::vector<NamedShape>& shapes, std::int32_t hidden, std::set<std::int32_t>& intermediate,
                   std::set<std::int32_t>& gated) {
  for (const NamedShape& one : shapes)
    if (one.shape.kind == ShapeKind::kGroupedGemm && one.shape.n == hidden && one.shape.k > 0 && one.shape.k != hidden)
      intermediate.insert(one.shape.k);
  if (intermediate.size() != 1) return;
  const std::int32_t width = *intermediate.begin();
  for (const NamedShape& one : shapes) {
    if (one.shape.kind != ShapeKind::kGroupedGemm || one.shape.k != hidden) continue;
    if (one.shape.n == 2 * width) gated.insert(1);
    if (one.shape.n == width) gated.insert(0);
  }
}

}  // namespace

std::vector<NamedShape> named_shapes(const Trace& trace) {
  std::vector<NamedShape> shapes;
  for (std::size_t i = 0; i < trace.names.size(); ++i) {
    const std::string& raw = trace.names[i];
    const auto shape = raw.starts_with("_Z") ? kernel_shape(readable_kernel_name(raw)) : kernel_shape(raw);
    if (shape) shapes.push_back({static_cast<std::int32_t>(i), *shape});
  }
  return shapes;
}

void complete_model(Trace& trace) {
  const std::vector<NamedShape> shapes = named_shapes(trace);
  if (shapes.empty()) return;
  Field<std::int32_t> widths[] = {{"hidden", &Model::hidden, {}},
                                  {"intermediate", &Model::intermediate, {}},
                                  {"experts", &Model::experts, {}},
                                  {"top_k", &Model::top_k, {}},
                                  {"gated", &Model::gated, {}}};
  auto& [hidden, intermediate, experts, top_k, gated] = widths;
  Field<double> wire[] = {{"dispatch_bytes_per_element", &Model::dispatch_bytes_per_element, {}},
                          {"combine_bytes_per_element", &Model::combine_bytes_per_element, {}}};
  const auto say = [](auto& field, auto value) {
    if (value > 0) field.said.insert(value);
  };
  for (const NamedShape& one : shapes) {
    say(hidden, one.shape.hidden);
    say(intermediate, one.shape.intermediate);
    say(experts, one.shape.experts);
    say(top_k, one.shape.top_k);
    say(wire[0], one.shape.dispatch_bytes);
    say(wire[1], one.shape.combine_bytes);
  }
  Model model = trace.model.value_or(Model{});
  const std::int32_t width = model.hidden > 0 ? model.hidden : hidden.said.size() == 1 ? *hidden.said.begin() : -1;
  if (width > 0 && intermediate.said.empty()) expert_widths(shapes, width, intermediate.said, gated.said);

  std::string filled;
  const auto fill = [&](auto& field) {
    if (model.*field.member >= 0 || field.said.empty()) return;
    if (field.said.size() > 1) {
      trace.diagnostics.push_back(
          {"info", "kernel_names_disagree", 1, std::string(field.name) + ": kernel names say " + listed(field.said)});
      return;
    }
    model.*field.member = *field.said.begin();
    filled += std::string(filled.empty() ? kFromKernelNames : ", ") + field.name;
  };
  for (auto& field : widths) fill(field);
  for (auto& field : wire) fill(field);
  if (filled.empty()) return;
  model.source += (model.source.empty() ? "" : "; ") + filled;
  trace.model = std::move(model);
}

}  // namespace moescope
