// SPDX-License-Identifier: Apache-2.0
// What another tool published for some of the real traces, against our figures under its definition. Its times are
// floats of microseconds since 1970, good to a quarter of a microsecond an edge, so sums over thousands of kernels
// agree to some microseconds.
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "analyzer/import/byte_source.h"
#include "analyzer/import/importer.h"
#include "analyzer/metric/metrics.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

// type -> ms
std::map<std::string, double> timeline_of(const std::string& path) {
  const auto source = open_bytes(path, OnEarlyEnd::kStop);
  std::string text(1 << 16, '\0');
  text.resize(source->read(text.data(), text.size()));
  std::map<std::string, double> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    if (first == std::string::npos || line.starts_with("type,")) continue;
    rows[line.substr(0, first)] = std::stod(line.substr(first + 1, second - first - 1));
  }
  return rows;
}

}  // namespace

TEST_CASE("TraceLens' published answers: span, busy, computation, idle and exposed time under its definition") {
  const std::filesystem::path data = test::real_traces();
  const std::filesystem::path answers = data / "kernels_text" / "tracelens_ref";
  if (!std::filesystem::exists(answers)) MOESCOPE_SKIP("no ../shared/data beside the source");
  const std::pair<const char*, const char*> files[] = {
      {"inference__sglang_prefilldecode", "inference__sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode"},
      {"inference__vllm_decode_full", "inference__vllm_decode_full__graph_execution"},
      {"inference__xdit_sd_3.5", "inference__xdit_sd_3.5__profile_trace_rank_0"},
      {"mi210__gpu_only_trace__gpu_only_trace", "mi210__gpu_only_trace__gpu_only_trace"},
      {"mi300__facebook_timesformer-base-finetuned-k400__1016002",
       "mi300__facebook_timesformer-base-finetuned-k400__1016002"}};
  for (const auto& [answer, trace_name] : files) {
    CAPTURE(trace_name);
    auto rows = timeline_of((answers / (std::string(answer) + "__gpu_timeline.csv.gz")).string());
    REQUIRE(rows.size() == 8);
    const Trace trace =
        load_trace({(data / "kineto" / "tracelens" / (std::string(trace_name) + ".json.gz")).string()}, "auto", {});
    const Analysis analysis = analyze(trace, attribute(trace), {}, Definition::kTracelens, Per::kWindow);
    REQUIRE(analysis.selection.devices.size() == 1);
    const auto agrees = [&](const char* id, const char* theirs) {
      CAPTURE(id);
      const Answer<double> ours = evaluate(*find_metric(Grain::kRank, id), analysis, 0);
      REQUIRE(ours);
      CHECK(std::fabs(*ours - rows.at(theirs) * 1e6) <= 5'000);
    };
    agrees("span_ns", "total_time");
    agrees("busy_ns", "busy_time");
    agrees("compute_ns", "computation_time");
    agrees("idle_ns", "idle_time");
    agrees("comm_ns", "total_comm_time");
    agrees("exposed_comm_ns", "exposed_comm_time");
  }
}
