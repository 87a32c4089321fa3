// SPDX-License-Identifier: Apache-2.0
// Real expert loads: layer by layer the figures of an independent computation, and a refusal by name of what holds
// none.
#include <cmath>

#include "analyzer/import/importer.h"
#include "analyzer/metric/metrics.h"
#include "analyzer/model/trace_error.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("SGLang's expert loads of DeepSeek-V3 and R1: each layer's figures, skipped layers left out") {
  const auto truth_file = test::real_traces() / "truth.json";
  if (!std::filesystem::exists(truth_file)) MOESCOPE_SKIP("no ../shared/data beside the source");
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.load(truth_file.string());
  int files = 0;
  for (const auto [path, entry] : simdjson::dom::object(document["files"])) {
    std::string_view format;
    if (entry["format"].get(format) || format != "sglang logical_count") continue;
    ++files;
    CAPTURE(path);
    const Trace trace = load_trace({(test::real_traces() / std::string(path)).string()}, "auto", {});
    const Analysis analysis = analyze(trace, attribute(trace), {});
    CHECK(analysis.router.layers.size() == static_cast<std::size_t>(std::int64_t(entry["moe_layers"])));
    std::int32_t layer = 0;
    std::size_t next = 0;
    for (const simdjson::dom::element said : simdjson::dom::array(entry["per_layer"])) {
      CAPTURE(layer);
      if (double(said["total"]) > 0) {
        const RouterLayer& ours = analysis.router.layers.at(next++);
        CHECK(ours.layer == LayerId(layer));
        CHECK(*ours.max_over_mean == Approx(double(said["max_over_mean"])).epsilon(1e-6));
        CHECK(*ours.cv == Approx(double(said["cv"])).margin(1e-6));
        CHECK(*ours.gini == Approx(double(said["gini"])).margin(1e-6));
        CHECK(*ours.dead_experts == double(said["zero_experts"]));
      }
      ++layer;
    }
    CHECK(next == analysis.router.layers.size());
  }
  CHECK(files == 2);
}

TEST_CASE("every expert-load file is read, or refused by the name of what it is") {
  const auto folder = test::real_traces() / "expert_load";
  if (!std::filesystem::exists(folder)) MOESCOPE_SKIP("no ../shared/data beside the source");
  std::size_t read = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    CAPTURE(entry.path().string());
    try {
      const Trace trace = load_trace({entry.path().string()}, "auto", {});
      CHECK(trace.router_loads.size() + trace.expert_placements.size() > 0);
      ++read;
    } catch (const TraceError& error) {
      const std::string what = error.what();
      CHECK((what.find("without counts") != std::string::npos || what.find("drop rates") != std::string::npos ||
             what.find("without a header") != std::string::npos));
      ++refused;
    }
  }
  CHECK(read == 9);
  CHECK(refused == 8);
}
