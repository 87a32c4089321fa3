// SPDX-License-Identifier: Apache-2.0
// moescope rules: the attribution table, and what it says of a name.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "analyzer/cli/command.h"
#include "analyzer/cli/output_file.h"
#include "analyzer/cli/stage_rule_option.h"
#include "analyzer/cli/usage_error.h"
#include "analyzer/report/json_writer.h"
#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/rule_text.h"

namespace moescope::cli {
namespace {

constexpr RuleKind kKinds[] = {RuleKind::kKernel, RuleKind::kCollective, RuleKind::kCopy, RuleKind::kRange};
constexpr std::string_view kProvenances[] = {"trace", "source", "unverified"};

struct Options {
  StageRuleOption rules;
  std::string test, kind;
  bool json = false;
};

void write_stages(JsonWriter& json, std::string_view key, StageSet set) {
  json.key(key);
  json.begin_array(JsonWriter::Layout::kLine);
  for (const Stage stage : stages_of(set)) json.value(name(stage));
  json.end_array();
}

void write_rule(JsonWriter& json, const StageRule& rule) {
  json.field("stage", name(leading_stage(rule.stages)));
  write_stages(json, "stages", rule.stages);
  if (rule.candidates.bits() != 0) write_stages(json, "candidates", rule.candidates);
  json.field("part", name(rule.part));
  json.field("pass", name(rule.pass));
  json.field("framework", rule.framework);
  json.field("kind", name(rule.kind));
  json.field("priority", rule.priority);
  json.field("rule", rule.pattern);
  json.field("provenance", rule.provenance);
}

std::string table_text(const RuleSet& rules, bool as_json) {
  const std::vector<const StageRule*> all = rules.rules();
  std::size_t counts[3] = {0, 0, 0};
  for (const StageRule* rule : all)
    for (std::size_t i = 0; i < 3; ++i) counts[i] += rule->provenance == kProvenances[i];
  if (as_json) {
    JsonWriter json;
    json.begin_object();
    json.field("schema", "moescope.rules/1");
    json.key("rules");
    json.begin_array();
    for (const StageRule* rule : all) {
      json.begin_object(JsonWriter::Layout::kLine);
      write_rule(json, *rule);
      json.end_object();
    }
    json.end_array();
    json.key("provenance");
    json.begin_object(JsonWriter::Layout::kLine);
    for (std::size_t i = 0; i < 3; ++i) json.field(kProvenances[i], counts[i]);
    json.field("user", rules.user_rules().size());
    json.end_object();
    json.end_object();
    return json.take();
  }
  std::string text = "kind\tpriority\tstage\tpass\tpart\tframework\tprovenance\trule\n";
  for (const StageRule* rule : all)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", name(rule->kind), rule->priority, stage_text(*rule),
                        name(rule->pass), name(rule->part), rule->framework, rule->provenance, rule->pattern);
  text += fmt::format("# {} rules: {} seen in traces, {} read in the frameworks' sources, {} unverified, {} yours\n",
                      all.size(), counts[0], counts[1], counts[2], rules.user_rules().size());
  return text;
}

// The first kind of name under which a rule knows it.
const StageRule* find_rule(const RuleSet& rules, const std::string& raw, const std::vector<RuleKind>& kinds) {
  for (const RuleKind kind : kinds) {
    const StageRule* rule = rules.first_match(kind, kind == RuleKind::kKernel ? readable_kernel_name(raw) : raw);
    if (rule == nullptr) rule = rules.first_match(kind, raw);
    if (rule != nullptr) return rule;
  }
  return nullptr;
}

std::vector<std::string> names_to_test(const std::string& test) {
  if (test != "-") return {test};
  std::vector<std::string> names;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

std::string answers(const RuleSet& rules, const std::vector<std::string>& names, const std::vector<RuleKind>& kinds,
                    bool as_json, std::set<const StageRule*>& used) {
  std::string text;
  JsonWriter json;
  json.begin_object();
  json.field("schema", "moescope.rules.test/1");
  json.key("names");
  json.begin_array();
  for (const std::string& one : names) {
    const StageRule* rule = find_rule(rules, one, kinds);
    used.insert(rule);
    if (!as_json) {
      text += rule == nullptr ? fmt::format("{}\t{}\t-\t-\t{}\n", name(Stage::kUNATTRIBUTED), name(Pass::kUNKNOWN), one)
                              : fmt::format("{}\t{}\t{}\t{}\t{}\n", stage_text(*rule), name(rule->pass),
                                            rule->framework, rule->pattern, one);
      continue;
    }
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("name", one);
    if (rule != nullptr)
      write_rule(json, *rule);
    else
      json.field("stage", name(Stage::kUNATTRIBUTED));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return as_json ? json.take() : text;
}

std::function<int()> define(CLI::App& app, const Global& global) {
  const auto options = std::make_shared<Options>();
  options->rules.add_to(app, "--rules");
  app.add_option(
         "--test", options->test,
         "Say what this name means, or with - each line of standard input: stage (alternatives joined by |, what "
         "one fused kernel does by +), pass, framework, rule, name, with tabs between")
      ->type_name("NAME|-");
  app.add_option("--kind", options->kind,
                 "What the tested names are: kernel, range, collective or copy; else the first that knows one")
      ->type_name("KIND");
  app.add_flag("--json", options->json, "As JSON");
  return [options, &app, &global] {
    std::vector<RuleKind> kinds;
    for (const RuleKind kind : kKinds)
      if (options->kind.empty() || options->kind == name(kind)) kinds.push_back(kind);
    if (kinds.empty())
      throw UsageError("--kind " + options->kind + ": unknown; there are kernel, range, collective, copy");
    const auto rules = options->rules.load();
    if (app.count("--test") == 0) {
      write_output("", table_text(*rules, options->json));
      return kDone;
    }
    std::set<const StageRule*> used;
    write_output("", answers(*rules, names_to_test(options->test), kinds, options->json, used));
    for (const StageRule& rule : rules->user_rules())
      if (options->test == "-" && !used.contains(&rule) && !global.quiet)
        fmt::print(stderr, "moescope: {}: decided none of the names: {}\n", rule.provenance, rule.pattern);
    return kDone;
  };
}

}  // namespace

const Command kRules = {"rules", "Show the rules that give kernels and ranges their stage, or test names against them",
                        "  moescope rules --test 'void deep_ep::internode::combine<false, 8, __nv_bfloat16>(int4*)'\n"
                        "  moescope rules --test - < names.txt       (a name a line)\n"
                        "  moescope rules --rules my.rules --test - < names.txt\n"
                        "  moescope rules                            (the table; the first that matches decides)\n",
                        define};

}  // namespace moescope::cli
