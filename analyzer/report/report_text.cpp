// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "analyzer/metric/metrics.h"
#include "analyzer/report/abstentions.h"
#include "analyzer/report/diagnostics_section.h"
#include "analyzer/report/figure_text.h"
#include "analyzer/report/questions.h"
#include "analyzer/report/report.h"
#include "analyzer/report/run_facts.h"
#include "analyzer/report/sections.h"
#include "analyzer/report/text_page.h"
#include "analyzer/report/text_table.h"
#include "analyzer/report/verdict.h"

namespace moescope {
namespace {

constexpr std::size_t kRanksShown = 8, kLayersShown = 8, kAnnotationsShown = 12;
class TextReport {
 public:
  TextReport(const ReportInput& input, const TextStyle& style)
      : input_(input),
        trace_(input.trace),
        attribution_(input.attribution),
        analysis_(input.analysis),
        figures_(input.analysis),
        page_(style) {}

  std::string write() {
    page_.headline(verdict_sentence(trace_, analysis_));
    run();
    if (!analysis_.selection.devices.empty()) {
      ranks();
      stages();
      annotations();
      layers();
      waves();
    }
    router();
    bound();
    for (const Section& section : sections())
      if (section.text) section.text(input_, page_);
    ask();
    coverage();
    abstained();
    return page_.take();
  }

 private:
  void title(const std::string& name, const std::string& note = "") { page_.title(name, note); }
  void line(const std::string& text) { page_.line(text); }
  std::string dim(const std::string& text) const { return page_.dim(text); }
  std::string over(Grain grain, std::string_view id, std::size_t row, bool worst = false) const {
    return figures_.over(grain, id, row, worst);
  }
  std::string plain(Grain grain, std::string_view id, std::size_t row, std::size_t device = 0) const {
    return figures_.plain(grain, id, row, device);
  }
  std::vector<std::size_t> largest(Grain grain, std::string_view id, std::size_t shown) const {
    return figures_.largest(grain, id, shown);
  }
  void others(std::size_t all, std::size_t shown, const char* what) {
    if (all > shown) line(dim(fmt::format("... and {} more {} with less exposed communication", all - shown, what)));
  }

  void run() {
    const RunFacts facts = run_facts(trace_, analysis_);
    const auto some = [](std::size_t n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); };
    std::string text = some(trace_.files.size(), "file") + ", " + some(facts.ranks, "rank");
    if (facts.devices != facts.ranks) text += ", " + some(facts.devices, "device");
    if (facts.steps > 0) text += ", " + some(facts.steps, "step");
    if (facts.layers > 0) text += ", " + some(facts.layers, "layer");
    if (!facts.sources.empty()) text += fmt::format("; from {}", fmt::join(facts.sources, ", "));
    text += facts.per_step ? "; figures are per step" : "; figures are for the whole record";
    if (analysis_.definition != Definition::kMoescope)
      text += fmt::format("; hidden as {} means it", name(analysis_.definition));
    line(dim(text));
    if (facts.virtual_clock) line("The clock is virtual: times are the job's own arithmetic, not measurements.");
    if (trace_.model && trace_.model->synthetic_routing == 1)
      line("Routing was forced, made up, or looks so: router figures say nothing about a real model.");
    if (facts.cut_short)
      line(page_.warn("The run was cut short: " +
                      (facts.cut_short_reason.empty() ? "its record has no clean end" : facts.cut_short_reason) +
                      ". What came after is missing."));
    if (analysis_.selection.steps_unfinished > 0)
      line(fmt::format("{} without an end left out.", some(analysis_.selection.steps_unfinished, "step")));
    if (analysis_.selection.rows_outside_steps > 0)
      line(fmt::format("{} outside any step left out.", some(analysis_.selection.rows_outside_steps, "span")));
    if (analysis_.selection.rows_on_other_clocks > 0)
      line(fmt::format("{} on other clocks left out.", some(analysis_.selection.rows_on_other_clocks, "span")));
    diagnostics_text(input_, page_);
    steps();
  }

  void steps() {
    const Metric& metric = *find_metric(Grain::kStep, "step_ns");
    std::vector<double> lengths;
    double slowest = -1;
    std::int64_t number = -1;
    for (std::size_t row = 0; row < analysis_.steps.size(); ++row) {
      const auto figure = evaluate_over_ranks(metric, analysis_, row);
      if (!figure) continue;
      lengths.push_back(figure->worst);
      if (figure->worst > slowest) slowest = figure->worst, number = analysis_.steps[row].number;
    }
    if (lengths.size() > 1)
      line(fmt::format("Step time {} (median), slowest {} (step {}).", time_text(median(lengths)), time_text(slowest),
                       number));
  }

  void ranks() {
    const std::size_t devices = analysis_.selection.devices.size();
    const char* const ids[] = {"span_ns",         "busy_ns",         "compute_ns",      "comm_ns",
                               "comm_control_ns", "exposed_comm_ns", "hidden_fraction", "idle_ns"};
    const char* const heads[] = {"span", "busy", "compute", "comm", "control", "exposed", "hidden", "idle"};
    title("Ranks");
    if (devices <= kRanksShown) {
      std::vector<std::string> header{"rank"};
      header.insert(header.end(), std::begin(heads), std::end(heads));
      TextTable table(std::move(header));
      for (std::size_t device = 0; device < devices; ++device) {
        const DeviceKey key = analysis_.selection.devices[device].device;
        const auto same_rank = [&](const DeviceRows& rows) { return rows.device.rank == key.rank; };
        const auto& all = analysis_.selection.devices;
        const bool has_several = std::count_if(all.begin(), all.end(), same_rank) > 1;
        std::vector<std::string> cells{has_several ? fmt::format("{} gpu {}", key.rank.value, key.device)
                                                   : std::to_string(key.rank.value)};
        for (const char* id : ids) cells.push_back(plain(Grain::kRank, id, device, device));
        table.row(std::move(cells));
      }
      page_.table(table);
    } else {
      TextTable table({"figure", "median", "worst", "on rank"});
      for (std::size_t i = 0; i < std::size(ids); ++i) {
        const Metric& metric = *find_metric(Grain::kRank, ids[i]);
        const auto figure = evaluate_over_ranks(metric, analysis_, 0);
        if (figure)
          table.row({heads[i], FigureText::in_unit(metric, figure->median), FigureText::in_unit(metric, figure->worst),
                     std::to_string(figure->worst_rank.value)});
      }
      page_.table(table);
    }
    if (const std::string control = control_sentence(analysis_); !control.empty()) line(control);
    if (split_phases(analysis_))
      line(page_.warn(
          "Exchanges are launched in halves: exposed and hidden are of the halves' kernels, not of the transfers."));
  }

  // Whether on any device the stages' exposed times sum to more than the device's own.
  bool stages_overlap() const {
    const Metric &of_stage = *find_metric(Grain::kStage, "exposed_ns"),
                 &of_rank = *find_metric(Grain::kRank, "exposed_comm_ns");
    for (std::size_t device = 0; device < analysis_.selection.devices.size(); ++device) {
      double sum = 0;
      for (std::size_t row = 0; row < analysis_.stages.size(); ++row)
        if (const auto exposed = evaluate(of_stage, analysis_, row, device)) sum += *exposed;
      const auto whole = evaluate(of_rank, analysis_, device, device);
      if (whole && sum > *whole * 1.001 + 1) return true;
    }
    return false;
  }

  void stages() {
    const bool several = analysis_.selection.devices.size() > 1;
    title("Stages", several ? "median over ranks" : "");
    TextTable table(
        {"stage", "pass", "spans", "time", "worst", "exposed", "worst", "hidden", "wire", "GB/s", "TFLOP/s"}, 2);
    for (std::size_t row = 0; row < analysis_.stages.size(); ++row) {
      const StageRow& stage = analysis_.stages[row];
      const auto at = [&](const char* id, bool worst = false) {
        return worst && !several ? std::string() : over(Grain::kStage, id, row, worst);
      };
      table.row({std::string(name(stage.stage)), stage.pass == Pass::kUNKNOWN ? "" : std::string(name(stage.pass)),
                 at("count"), at("time_ns"), at("time_ns", true), at("exposed_ns"), at("exposed_ns", true),
                 at("hidden_fraction"), at("bytes"), at("wire_bw_gb_s"), at("tflops")});
    }
    page_.table(table);
    if (stages_overlap())
      line(dim("Stages overlap one another: each one's exposed time is its own, and they sum to more than the whole."));
  }

  void annotations() {
    if (analysis_.annotations.empty()) return;
    title("Communication by the range that launched it");
    TextTable table({"range", "spans", "comm", "exposed", "hidden"});
    for (const std::size_t row : largest(Grain::kAnnotation, "exposed_comm_ns", kAnnotationsShown))
      table.row({name_text(trace_.names[static_cast<std::size_t>(analysis_.annotations[row].name.value)]),
                 over(Grain::kAnnotation, "count", row), over(Grain::kAnnotation, "comm_ns", row),
                 over(Grain::kAnnotation, "exposed_comm_ns", row), over(Grain::kAnnotation, "hidden_fraction", row)});
    page_.table(table);
    others(analysis_.annotations.size(), kAnnotationsShown, "ranges");
  }

  void layers() {
    if (analysis_.layers.size() < 2) return;
    title("Layers", "median over ranks");
    TextTable table({"layer", "comm", "exposed", "hidden", "experts", "compute/comm"});
    for (const std::size_t row : largest(Grain::kLayer, "exposed_comm_ns", kLayersShown))
      table.row({std::to_string(analysis_.layers[row].layer.value), over(Grain::kLayer, "comm_ns", row),
                 over(Grain::kLayer, "exposed_comm_ns", row), over(Grain::kLayer, "hidden_fraction", row),
                 over(Grain::kLayer, "expert_compute_ns", row), over(Grain::kLayer, "compute_over_comm", row)});
    page_.table(table);
    others(analysis_.layers.size(), kLayersShown, "layers");
  }

  void waves() {
    const LayerInstances& instances = analysis_.layer_instances;
    if (std::all_of(instances.begin(), instances.end(), [](const auto& device) { return device.empty(); })) return;
    title("Waves");
    line(fmt::format("schedule  {}: {}", name(analysis_.waves.schedule), analysis_.waves.evidence));
    const std::string count = plain(Grain::kWaves, "count_per_layer", 0), depth = plain(Grain::kWaves, "depth", 0);
    if (!count.empty()) line(fmt::format("waves     {} a layer, at most {} in flight", count, depth));
    const std::string fill = over(Grain::kWaves, "fill_ns", 0), drain = over(Grain::kWaves, "drain_ns", 0);
    if (!fill.empty())
      line(fmt::format("fill      {} from a layer's start to its first expert compute; drain {}", fill, drain));
  }

  void router() {
    const RouterBalance& router = analysis_.router;
    if (router.layers.empty()) return;
    const bool forced = router.synthetic;
    title("Router", forced ? "synthetic routing: no figure here is of a real router" : "");
    const std::string ranks = plain(Grain::kRouter, "ranks_max_over_mean", 0);
    if (!ranks.empty())
      line(fmt::format("busiest rank {} times the mean; balancedness {} (SGLang's), {} (vLLM's)", ranks,
                       plain(Grain::kRouter, "balancedness_sglang", 0), plain(Grain::kRouter, "balancedness_vllm", 0)));
    const std::string straggler = plain(Grain::kRouter, "straggler_ns", 0);
    if (!straggler.empty()) line(fmt::format("stragglers   {} of expert compute beyond the mean rank", straggler));
    std::vector<std::size_t> order(router.layers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > kLayersShown) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto value = [&](std::size_t row) {
          return router.layers[row].max_over_mean ? *router.layers[row].max_over_mean : 0.0;
        };
        return value(a) > value(b);
      });
      order.resize(kLayersShown);
    }
    TextTable table({"layer", "max/mean", "cv", "gini", "entropy", "dead", "dropped"});
    for (const std::size_t row : order) {
      const auto at = [&](const char* id) { return plain(Grain::kRouterLayer, id, row); };
      table.row({std::to_string(router.layers[row].layer.value), at("max_over_mean"), at("cv"), at("gini"),
                 at("entropy_normalised"), at("dead_experts"), at("dropped_fraction")});
    }
    page_.table(table);
    if (router.layers.size() > kLayersShown)
      line(dim(fmt::format("... and {} more layers, better balanced", router.layers.size() - kLayersShown)));
    if (router.placement_in_order)
      line(
          "The placement numbers its layers otherwise than the counts; as many have tokens, and they are taken in "
          "order.");
    if (router.instances_without_tokens > 0)
      line(fmt::format("{} layer instances without tokens left out", router.instances_without_tokens));
  }

  void bound() {
    bool titled = false;
    for (std::size_t row = 0; row < analysis_.bounds.size(); ++row) {
      const CommBound& bound = analysis_.bounds[row];
      const auto at = [&](const char* id) { return plain(Grain::kBound, id, row); };
      TextTable table({"", "", ""}, 1);
      const auto figure = [&](const char* words, const std::string& value, const std::string& unit) {
        if (!value.empty()) table.row({words, value, unit});
      };
      figure("FLOPs a wire byte, by shape and wire format", at("flops_per_byte_bound"), "");
      figure("FLOPs a wire byte, as recorded", at("flops_per_byte_measured"), "");
      figure("C/B at peak rates", at("compute_to_bandwidth_peak"), "");
      figure("C/B at the rates reached", at("compute_to_bandwidth_achieved"), "");
      figure("headroom at peak rates", at("headroom_peak"), "");
      figure("headroom at the rates reached", at("headroom_achieved"), "");
      figure("hidden share the experts alone can reach",
             at("overlap_ceiling").empty() ? "" : percent_text(*bound.overlap_ceiling), "");
      figure("communication beyond what they can hide", over(Grain::kBound, "min_exposed_ns", row), "");
      if (table.empty()) continue;
      if (!titled)
        title("Bound", "headroom: expert compute over token transfer; above 1 the experts alone can hide it");
      titled = true;
      if (bound.pass != Pass::kUNKNOWN) line(std::string(name(bound.pass)) + (bound.tier ? ", " + *bound.tier : ""));
      page_.table_without_header(table);
      if (bound.includes_wait)
        line(dim("Transfer time includes waiting for other ranks: the headroom is a lower bound."));
    }
  }

  void ask() {
    bool titled = false;
    for (const Question& question : questions(trace_, attribution_, analysis_)) {
      if (!question.answer) continue;
      if (!titled) title("Questions");
      titled = true;
      line(question.text);
      line("  " + *question.answer);
    }
  }

  void coverage() {
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    const std::string attributed = plain(Grain::kCoverage, "stage_attributed_fraction", 0);
    const std::string dropped = plain(Grain::kCoverage, "records_dropped", 0);
    const std::string residual = plain(Grain::kCoverage, "clock_residual_p95_ns", 0);
    if (!attributed.empty()) add(attributed + " of device time has a known stage");
    if (!dropped.empty()) add(dropped + " records dropped");
    if (!residual.empty()) add("clocks agree within " + residual);
    if (text.empty()) return;
    title("Coverage");
    line(text);
  }

  void abstained() {
    std::vector<std::pair<std::string, std::string>> by_reason;  // reason, metrics; in order
    for (const Abstention& one : abstentions(input_)) {
      const auto known = std::find_if(by_reason.begin(), by_reason.end(),
                                      [&](const auto& entry) { return entry.first == one.reason; });
      if (known != by_reason.end())
        known->second += ", " + one.metric;
      else
        by_reason.emplace_back(one.reason, one.metric);
    }
    if (by_reason.empty()) return;
    title("Not known");
    for (const auto& [reason, names] : by_reason) line(names + ": " + dim(reason));
  }

  const ReportInput& input_;
  const Trace& trace_;
  const Attribution& attribution_;
  const Analysis& analysis_;
  const FigureText figures_;
  TextPage page_;
};

}  // namespace

std::string report_text(const ReportInput& input, const TextStyle& style) {
  return TextReport(input, style).write();
}

}  // namespace moescope
