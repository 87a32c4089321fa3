#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the reference job says of itself (moescope.refmoe/1), for holding the record against it.

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace moescope::test {

struct StageAccount {
  double time_ns = 0, flops = 0;
  std::int64_t bytes = 0, spans = 0;
};

struct JobAccount {
  std::map<std::pair<std::int64_t, std::string>, StageAccount> stages;  // (rank, stage)
  std::vector<std::vector<std::int64_t>> tokens_per_expert;             // [layer][expert], over all steps
  double makespan_ns = 0;
  std::int64_t steps = 0, layers = 0, ranks = 0;
};

inline JobAccount parse_account(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document = parser.parse(json);
  JobAccount account;
  account.makespan_ns = double(document["makespan_ns"]);
  account.steps = std::int64_t(document["steps"]);
  account.layers = std::int64_t(document["layers"]);
  account.ranks = std::int64_t(document["ranks"]);
  for (simdjson::dom::element row : document["stages"].get_array()) {
    StageAccount& stage = account.stages[{std::int64_t(row["rank"]), std::string(std::string_view(row["stage"]))}];
    stage.time_ns = double(row["time_ns"]);
    stage.flops = double(row["flops"]);
    stage.bytes = std::int64_t(row["bytes"]);
    stage.spans = std::int64_t(row["spans"]);
  }
  for (simdjson::dom::element layer : document["tokens_per_expert"].get_array()) {
    account.tokens_per_expert.emplace_back();
    for (std::int64_t tokens : layer.get_array()) account.tokens_per_expert.back().push_back(tokens);
  }
  return account;
}

}  // namespace moescope::test
