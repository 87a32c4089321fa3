// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/metrics.h"
#include "analyzer/report/abstentions.h"
#include "analyzer/report/figure_json.h"
#include "analyzer/report/json_writer.h"
#include "analyzer/report/questions.h"
#include "analyzer/report/report.h"
#include "analyzer/report/run_facts.h"
#include "analyzer/report/sections.h"

namespace moescope {
namespace {

using Layout = JsonWriter::Layout;

class ReportWriter {
 public:
  explicit ReportWriter(const ReportInput& input)
      : input_(input), trace_(input.trace), attribution_(input.attribution), analysis_(input.analysis) {}

  std::string write(const std::string& tool_version) {
    json_.begin_object();
    json_.field("schema", "moescope.report/1");
    json_.key("tool");
    json_.begin_object(Layout::kLine);
    json_.field("name", "moescope");
    json_.field("version", tool_version);
    json_.end_object();
    run();
    section_object(Grain::kCoverage);
    ranks();
    stages();
    rows(Grain::kAnnotation, [this](std::size_t row) { annotation_identity(row); });
    rows(Grain::kStep, [this](std::size_t row) {
      json_.field("step", analysis_.steps[row].number);
      json_.field("kind", name(analysis_.steps[row].kind));
    });
    rows(Grain::kLayer, [this](std::size_t row) { json_.field("layer", analysis_.layers[row].layer.value); });
    waves();
    router();
    bounds();
    for (const Section& section : sections()) {
      if (section.key.empty()) continue;
      json_.key(section.key);
      if (section.json) {
        section.json(input_, json_);
      } else {
        json_.begin_array();
        json_.end_array();
      }
    }
    ask();
    json_.key("abstained");
    json_.begin_array();
    for (const Abstention& one : abstentions(input_)) {
      json_.begin_object(Layout::kLine);
      json_.field("metric", one.metric);
      json_.field("reason", one.reason);
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
    return json_.take();
  }

 private:
  void run() {
    const RunFacts facts = run_facts(trace_, analysis_);
    json_.key("run");
    json_.begin_object();
    json_.key("files");
    json_.begin_array();
    for (const SourceFile& file : trace_.files) {
      json_.begin_object(Layout::kLine);
      json_.field("path", file.path);
      json_.field("format", file.format);
      json_.field("cut_short", file.cut_short);
      json_.end_object();
    }
    json_.end_array();
    json_.field("ranks", facts.ranks);
    json_.field("devices", facts.devices);
    json_.field("steps", facts.steps);
    json_.field("layers", facts.layers);
    json_.field("window_ns", facts.window_ns);
    json_.field("per", facts.per_step ? "step" : "window");
    json_.field("definition", name(analysis_.definition));
    strings("sources", facts.sources);
    json_.field("cut_short", facts.cut_short);
    if (facts.cut_short) json_.field("cut_short_reason", facts.cut_short_reason);
    json_.field("rows_outside_steps", analysis_.selection.rows_outside_steps);
    json_.field("rows_on_other_clocks", analysis_.selection.rows_on_other_clocks);
    json_.field("steps_unfinished", analysis_.selection.steps_unfinished);
    model();
    json_.key("hardware");
    json_.begin_array();
    for (const Hardware& hardware : facts.hardware) {
      json_.begin_object(Layout::kLine);
      json_.field("name", hardware.device.name);
      json_.field("count", hardware.count);
      known("peak_flops", hardware.device.peak_flops);
      known("link_gb_s", hardware.device.link_gb_s);
      json_.field("link_kind", name(hardware.device.link_kind));
      known("sm_count", hardware.device.sm_count);
      json_.field("source", hardware.device.source);
      json_.end_object();
    }
    json_.end_array();
    if (trace_.model && trace_.model->synthetic_routing >= 0)
      json_.field("synthetic_routing", trace_.model->synthetic_routing == 1);
    json_.end_object();
  }

  void model() {
    json_.key("model");
    json_.begin_object();
    if (trace_.model) {
      const Model& model = *trace_.model;
      json_.field("name", model.name);
      known("hidden", model.hidden);
      known("intermediate", model.intermediate);
      known("experts", model.experts);
      known("top_k", model.top_k);
      known("layers", model.layers);
      known("shared_experts", model.shared_experts);
      if (model.gated >= 0) json_.field("gated", model.gated == 1);
      known("dispatch_bytes_per_element", model.dispatch_bytes_per_element);
      known("combine_bytes_per_element", model.combine_bytes_per_element);
      known("weight_bytes_per_element", model.weight_bytes_per_element);
      json_.field("source", model.source);
    }
    json_.end_object();
  }

  void ranks() {
    json_.key("ranks");
    json_.begin_array();
    for (std::size_t device = 0; device < analysis_.selection.devices.size(); ++device) {
      const DeviceRows& rows = analysis_.selection.devices[device];
      json_.begin_object();
      json_.field("rank", rows.device.rank.value);
      json_.field("device", rows.device.device);
      json_.field("steps", rows.steps.size());
      write_device_figures(json_, analysis_, Grain::kRank, device, device);
      json_.field("split_phases", analysis_.waiting[device].split.found);
      json_.key("stages");
      json_.begin_array();
      for (std::size_t row = 0; row < analysis_.stages.size(); ++row) {
        if (!analysis_.stages[row].cells[device]) continue;
        json_.begin_object(Layout::kLine);
        stage_identity(row);
        write_device_figures(json_, analysis_, Grain::kStage, row, device);
        json_.end_object();
      }
      json_.end_array();
      json_.key("annotations");
      json_.begin_array();
      for (std::size_t row = 0; row < analysis_.annotations.size(); ++row) {
        if (!analysis_.annotations[row].cells[device]) continue;
        json_.begin_object(Layout::kLine);
        annotation_identity(row);
        write_device_figures(json_, analysis_, Grain::kAnnotation, row, device);
        json_.end_object();
      }
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
  }

  void stages() {
    rows(Grain::kStage, [this](std::size_t row) { stage_identity(row); });
  }

  void annotation_identity(std::size_t row) {
    json_.field("name", trace_.names[static_cast<std::size_t>(analysis_.annotations[row].name.value)]);
  }

  void stage_identity(std::size_t row) {
    json_.field("stage", name(analysis_.stages[row].stage));
    json_.field("pass", name(analysis_.stages[row].pass));
  }

  void waves() {
    json_.key("waves");
    json_.begin_object();
    figures(Grain::kWaves, 0);
    json_.field("schedule", name(analysis_.waves.schedule));
    json_.field("evidence", analysis_.waves.evidence);
    json_.end_object();
  }

  void router() {
    json_.key("router");
    json_.begin_object();
    json_.key("layers");
    json_.begin_array();
    for (std::size_t row = 0; row < analysis_.router.layers.size(); ++row) {
      json_.begin_object(Layout::kLine);
      json_.field("layer", analysis_.router.layers[row].layer.value);
      json_.field("instances", analysis_.router.layers[row].instances);
      figures(Grain::kRouterLayer, row);
      json_.end_object();
    }
    json_.end_array();
    figures(Grain::kRouter, 0);
    json_.field("instances_without_tokens", analysis_.router.instances_without_tokens);
    if (analysis_.router.placement_in_order) json_.field("placement_in_order", true);
    json_.end_object();
  }

  void bounds() {
    std::size_t main = 0;  // the forward pass, else the first
    for (std::size_t row = 0; row < analysis_.bounds.size(); ++row)
      if (analysis_.bounds[row].pass == Pass::kFORWARD) main = row;
    json_.key("bound");
    json_.begin_object();
    if (!analysis_.bounds.empty()) bound(main);
    json_.end_object();
    rows(Grain::kBound, [this](std::size_t row) { bound_identity(row); });
  }

  void bound(std::size_t row) {
    bound_identity(row);
    figures(Grain::kBound, row);
  }

  void bound_identity(std::size_t row) {
    const CommBound& bound = analysis_.bounds[row];
    json_.field("pass", name(bound.pass));
    if (bound.tier) json_.field("tier", *bound.tier);
    if (bound.flops_per_byte_bound) json_.field("remote_fraction_source", bound.remote_fraction_source);
    if (bound.overlap_ceiling) json_.field("overlap_ceiling_basis", bound.overlap_ceiling_basis);
    json_.field("includes_wait", bound.includes_wait);
  }

  void ask() {
    json_.key("questions");
    json_.begin_array();
    for (const Question& question : questions(trace_, attribution_, analysis_)) {
      json_.begin_object();
      json_.field("id", question.id);
      json_.field("question", question.text);
      if (question.answer)
        json_.field("answer", *question.answer);
      else
        json_.field("abstained", question.answer.reason());
      json_.key("evidence");
      json_.begin_array();
      for (const Evidence& evidence : question.evidence) {
        json_.begin_object(Layout::kLine);
        json_.field("metric", evidence.metric);
        json_.field("value", evidence.value);
        json_.end_object();
      }
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
  }

  template <class Identity>
  void rows(Grain grain, Identity identity) {
    json_.key(section(grain));
    json_.begin_array();
    for (std::size_t row = 0; row < row_count(analysis_, grain); ++row) {
      json_.begin_object();
      identity(row);
      figures(grain, row);
      json_.end_object();
    }
    json_.end_array();
  }

  void section_object(Grain grain) {
    json_.key(section(grain));
    json_.begin_object();
    figures(grain, 0);
    json_.end_object();
  }

  void figures(Grain grain, std::size_t row) { write_figures(json_, analysis_, grain, row); }

  void strings(std::string_view key, const std::vector<std::string>& list) {
    json_.key(key);
    json_.begin_array(Layout::kLine);
    for (const std::string& text : list) json_.value(text);
    json_.end_array();
  }

  template <class Number>
  void known(std::string_view key, Number number) {  // -1 stands for unknown
    if (number >= 0) json_.field(key, number);
  }

  const ReportInput& input_;
  const Trace& trace_;
  const Attribution& attribution_;
  const Analysis& analysis_;
  JsonWriter json_;
};

}  // namespace

std::string report_json(const ReportInput& input, const std::string& tool_version) {
  return ReportWriter(input).write(tool_version);
}

}  // namespace moescope
