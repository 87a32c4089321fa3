// SPDX-License-Identifier: Apache-2.0
// The list of metrics, and the table in the README that must say the same.
#include <fstream>
#include <regex>
#include <set>

#include "analyzer/metric/metrics.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {
std::string word(Better better) {
  return better == Better::kLower ? "lower" : better == Better::kHigher ? "higher" : "-";
}
}  // namespace

TEST_CASE("metrics: ids are unique within their section, and end in their unit") {
  std::set<std::string> seen;
  for (const Metric& metric : metrics()) {
    CAPTURE(qualified_id(metric));
    CHECK(seen.insert(qualified_id(metric)).second);
    CHECK((metric.unit == "ns") == (metric.id.ends_with("_ns") || metric.id.find("_ns.") != std::string_view::npos));
    CHECK((metric.unit == "GB/s") == metric.id.ends_with("_gb_s"));
    CHECK(find_metric(metric.grain, metric.id) == &metric);
    CHECK_FALSE(metric.summary.empty());
  }
}

TEST_CASE("metrics: the README's table is the list") {
  std::ifstream file(MOESCOPE_SOURCE_DIR "/analyzer/README.md");
  REQUIRE(file);
  std::vector<std::string> rows, expected;
  const std::regex row(R"(^\| `[a-z_.0-9]+` \|.*)");
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, row)) rows.push_back(line);
  for (const Metric& metric : metrics())
    expected.push_back("| `" + qualified_id(metric) + "` | " + std::string(metric.unit) + " | " + word(metric.better) +
                       " | " + std::string(metric.summary) + " |");
  CHECK(rows == expected);
}
