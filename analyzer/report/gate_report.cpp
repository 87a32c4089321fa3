// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/gate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/report/json_writer.h"
#include "analyzer/report/text_table.h"

namespace moescope {
namespace {

std::string figure_name(const GateRow& row) {
  switch (row.key.compared) {
    case Compared::kStepTime:
      return "step time";
    case Compared::kExposedComm:
      return "exposed communication";
    case Compared::kHidden:
      return "hidden fraction";
    case Compared::kStageTime:
    case Compared::kStageExposed:
      break;
  }
  std::string text(name(row.key.stage));
  if (row.key.pass != Pass::kUNKNOWN) text += " " + std::string(name(row.key.pass));
  return text + (row.key.compared == Compared::kStageExposed ? " exposed" : "");
}

bool is_fraction(const GateRow& row) {
  return row.key.compared == Compared::kHidden;
}
std::string value_text(const GateRow& row, double value) {
  return is_fraction(row) ? percent_text(value) : time_text(value);
}
std::string signed_percent(double fraction) {
  return fmt::format("{:+.2f} %", std::fabs(fraction) < 5e-5 ? 0.0 : 100 * fraction);  // no "-0.00 %"
}
std::string effect_text(const GateRow& row) {
  if (is_fraction(row)) return fmt::format("{:+.2f} pt", 100 * row.effect);
  return row.base > 0 ? signed_percent(row.effect) : std::string("new");
}
// Where the harm surely lies, in the budget's own unit.
std::string harm_text(const GateRow& row) {
  if (row.harm_low == row.harm_high) return signed_percent(row.harm);
  return fmt::format("{:+.2f} .. {:+.2f} %", 100 * row.harm_low, 100 * row.harm_high);
}

// In plain words, what the numbers allow to say where nobody set a limit.
const char* comparison(const GateRow& row) {
  if (row.harm_low > 0) return "worse";
  if (row.harm_high < 0) return "better";
  return row.harm_low == row.harm_high ? "same" : "can't tell";
}

std::string runs_text(const GateResult& result) {
  const auto runs = [](std::size_t n) { return fmt::format("{} run{}", n, n == 1 ? "" : "s"); };
  std::string text = fmt::format("{} against {}", runs(result.head_runs), runs(result.base_runs));
  switch (result.basis) {
    case Basis::kExact:
      text += ", on a virtual clock: differences are exact";
      break;
    case Basis::kMeasured:
      text += "; the interval is what varies between runs, 95 % one-sided each end";
      break;
    case Basis::kAssumed:
      text += fmt::format(
          "; with fewer than 3 runs a side their variation isn't known: each is taken to be off by {:.0f} % of the "
          "step",
          100 * kAssumedRunSd);
      break;
  }
  return text;
}

std::string sentence(const GateResult& result) {
  std::vector<std::string> names;
  for (const GateRow& row : result.rows)
    if (row.verdict == result.verdict) names.push_back(figure_name(row));
  constexpr std::size_t kNamed = 3;
  const std::size_t count = names.size();
  if (count > kNamed) {
    names.resize(kNamed);
    names.push_back(fmt::format("{} more", count - kNamed));
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  switch (result.verdict) {
    case Verdict::kPass:
      return fmt::format("pass: none of {} figures is worse by more than its budget", result.rows.size());
    case Verdict::kRegress:
      return "regress: " + list + (count == 1 ? " is" : " are") + " worse by more than the budget";
    case Verdict::kInconclusive:
      break;
  }
  if (result.rows.empty()) return "inconclusive: no figure is in all runs and named by a rule";
  return "inconclusive: " + list + " may or may not be worse by more than the budget; " +
         (result.basis == Basis::kAssumed ? "record at least 3 runs a side" : "record more runs or longer ones");
}

// The most harmful first, and of a long list only what matters.
std::vector<const GateRow*> ordered(const GateResult& result) {
  std::vector<const GateRow*> rows;
  for (const GateRow& row : result.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const GateRow* a, const GateRow* b) {
    const auto rank = [](const GateRow* row) {
      const bool total = row->key.compared != Compared::kStageTime && row->key.compared != Compared::kStageExposed;
      return total ? 0 : 1;
    };
    return rank(a) < rank(b);
  });
  return rows;
}

}  // namespace

std::string gate_text(const GateResult& result, const TextStyle& style, bool judge) {
  const auto paint = [&](const char* code, const std::string& text) {
    return style.color ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  };
  std::string out;
  if (judge)
    out += paint(result.verdict == Verdict::kPass      ? "1;32"
                 : result.verdict == Verdict::kRegress ? "1;31"
                                                       : "1;33",
                 sentence(result)) +
           "\n";
  out += "  " + paint("2", runs_text(result)) + "\n\n";
  std::vector<std::string> header{"figure", "base", "head", "change", "harm, % of the step"};
  header.emplace_back(judge ? "budget" : "");
  header.emplace_back(judge ? "verdict" : "so it is");
  TextTable table(std::move(header));
  for (const GateRow* row : ordered(result))
    table.row({figure_name(*row), value_text(*row, row->base), value_text(*row, row->head), effect_text(*row),
               harm_text(*row), judge ? signed_percent(row->budget) : "",
               judge ? std::string(name(row->verdict)) : std::string(comparison(*row))});
  return out + table.render(2);
}

std::string gate_json(const GateResult& result, const std::string& tool_version) {
  using Layout = JsonWriter::Layout;
  JsonWriter json;
  json.begin_object();
  json.field("schema", "moescope.gate/1");
  json.key("tool");
  json.begin_object(Layout::kLine);
  json.field("name", "moescope");
  json.field("version", tool_version);
  json.end_object();
  json.field("verdict", name(result.verdict));
  json.field("reason", sentence(result));
  json.field("basis", name(result.basis));
  json.field("base_runs", result.base_runs);
  json.field("head_runs", result.head_runs);
  json.field("base_step_ns", result.base_step_ns);
  json.field("false_discovery_rate", kFalseDiscoveryRate);
  json.key("figures");
  json.begin_array();
  for (const GateRow* row : ordered(result)) {
    json.begin_object(Layout::kLine);
    json.field("metric", name(row->key.compared));
    if (row->key.compared == Compared::kStageTime || row->key.compared == Compared::kStageExposed) {
      json.field("stage", name(row->key.stage));
      json.field("pass", name(row->key.pass));
    }
    json.field("base", row->base);
    json.field("head", row->head);
    if (row->base > 0 || is_fraction(*row)) json.field("effect", row->effect);
    json.field("harm", row->harm);
    json.field("harm_low", row->harm_low);
    json.field("harm_high", row->harm_high);
    json.field("budget", row->budget);
    json.field("p", row->p);
    json.field("verdict", name(row->verdict));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

std::string gate_markdown(const GateResult& result) {
  std::string out = fmt::format("**{}**\n\n{}\n\n", sentence(result), runs_text(result));
  out += "| figure | base | head | change | harm, % of the step | budget | verdict |\n|---|--:|--:|--:|--:|--:|---|\n";
  for (const GateRow* row : ordered(result))
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", figure_name(*row), value_text(*row, row->base),
                       value_text(*row, row->head), effect_text(*row), harm_text(*row), signed_percent(row->budget),
                       name(row->verdict));
  return out;
}

}  // namespace moescope
