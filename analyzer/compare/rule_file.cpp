// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/rule_file.h"

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "analyzer/model/nearest_word.h"

namespace moescope {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& path) : path_(path) {}

  std::vector<GateRule> parse(const std::string& text) {
    toml::table table;
    try {
      table = toml::parse(text);
    } catch (const toml::parse_error& error) {
      throw TraceError(path_, place(error.source()), std::string(error.description()), "write it as TOML");
    }
    check_keys(table, {"rule", "defaults"});
    std::vector<GateRule> rules;
    bool defaults = true;
    if (const toml::node* node = table.get("defaults")) {
      if (!node->is_boolean()) fail(*node, "'defaults' must be true or false");
      defaults = node->as_boolean()->get();
    }
    if (defaults) rules.assign(default_rules().begin(), default_rules().end());
    if (const toml::node* node = table.get("rule")) {
      if (!node->is_array_of_tables()) fail(*node, "'rule' must be written as [[rule]]");
      for (const toml::node& one : *node->as_array()) rules.push_back(rule(*one.as_table()));
    }
    if (rules.empty()) throw TraceError(path_, "", "has no rules", "add a [[rule]]");
    return rules;
  }

 private:
  static std::string place(const toml::source_region& source) { return "line " + std::to_string(source.begin.line); }
  [[noreturn]] void fail(const toml::node& node, const std::string& trouble, const std::string& mend = "") const {
    throw TraceError(path_, place(node.source()), trouble, mend);
  }
  void check_keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        fail(node, "unknown key '" + std::string(key.str()) + "'",
             "did you mean '" + nearest_word(key.str(), known) + "'?");
  }
  std::string word(const toml::node& node, const char* key) const {
    if (!node.is_string()) fail(node, std::string("'") + key + "' must be a word in quotes");
    return node.as_string()->get();
  }

  GateRule rule(const toml::table& table) const {
    check_keys(table, {"metric", "stage", "pass", "budget"});
    GateRule rule;
    const toml::node* metric = table.get("metric");
    if (metric == nullptr) fail(table, "the rule has no 'metric'", "add metric = \"step_ns\"");
    const std::string metric_name = word(*metric, "metric");
    const auto compared = compared_from_name(metric_name);
    if (!compared)
      fail(*metric, "unknown metric '" + metric_name + "'",
           "did you mean '" +
               nearest_word(metric_name,
                            {"step_ns", "exposed_comm_ns", "hidden_fraction", "stage_time_ns", "stage_exposed_ns"}) +
               "'?");
    rule.compared = *compared;
    const bool by_stage = *compared == Compared::kStageTime || *compared == Compared::kStageExposed;
    if (const toml::node* node = table.get("stage")) {
      const std::string text = word(*node, "stage");
      rule.stage = stage_from_name(text);
      if (!rule.stage)
        fail(*node, "unknown stage '" + text + "'", "did you mean '" + nearest_word(text, stages()) + "'?");
      if (!by_stage) fail(*node, "'" + metric_name + "' has no stages", "use stage_time_ns or stage_exposed_ns");
    }
    if (const toml::node* node = table.get("pass")) {
      const std::string text = word(*node, "pass");
      rule.pass = pass_from_name(text);
      if (!rule.pass)
        fail(*node, "unknown pass '" + text + "'", "did you mean '" + nearest_word(text, passes()) + "'?");
      if (!by_stage) fail(*node, "'" + metric_name + "' has no passes", "use stage_time_ns or stage_exposed_ns");
    }
    const toml::node* budget = table.get("budget");
    if (budget == nullptr) fail(table, "the rule has no 'budget'", "add budget = 0.01");
    if (!budget->is_number()) fail(*budget, "'budget' must be a number", "write 1 % as 0.01");
    rule.budget = *budget->value<double>();
    if (!std::isfinite(rule.budget) || rule.budget <= 0 || rule.budget >= 1)
      fail(*budget, "'budget' must lie between 0 and 1", "write 1 % as 0.01");
    return rule;
  }

  static std::vector<std::string> stages() {
    std::vector<std::string> names;
    for (int i = 0; i < MOESCOPE_STAGE_COUNT; ++i) names.emplace_back(moescope_stage_name(i));
    return names;
  }
  static std::vector<std::string> passes() {
    std::vector<std::string> names;
    for (int i = 0; i < MOESCOPE_PASS_COUNT; ++i) names.emplace_back(moescope_pass_name(i));
    return names;
  }
  const std::string& path_;
};

}  // namespace

std::vector<GateRule> parse_rules(const std::string& text, const std::string& path) {
  return Parser(path).parse(text);
}

std::vector<GateRule> read_rule_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw TraceError(path, "", "can't be read", "name an existing rules file");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_rules(text.str(), path);
}

}  // namespace moescope
