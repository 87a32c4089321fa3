// SPDX-License-Identifier: Apache-2.0
// Every real Kineto trace against truth.json, to the nanosecond, classified by our own rules. truth.json knows
// communication by one regular expression over names; a kernel that our rules class otherwise would be listed below.
#include <regex.h>

#include <set>

#include "analyzer/import/importer.h"
#include "analyzer/metric/device_activity.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

class TruthRule {  // truth's comm_regex; POSIX, so that long names are safe
 public:
  explicit TruthRule(const std::string& pattern) {
    REQUIRE(regcomp(&regex_, pattern.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0);
  }
  ~TruthRule() { regfree(&regex_); }
  bool says_communication(const std::string& name) const { return regexec(&regex_, name.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t regex_;
};

// Kernels that our rules class otherwise than truth's expression, on purpose: none in these traces.
const std::set<std::string> kKnownBetter;

// Names of kernels whose class differs from what truth's expression says.
std::set<std::string> differing_names(const Trace& trace, const Attribution& attribution, const TruthRule& rule) {
  std::set<std::string> names;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Context& context = trace.context_of(row);
    if (!trace.track_of(row).is_execution() || context.kind != SpanKind::kKERNEL) continue;
    const std::string name(trace.name_of(row));
    const bool truth = rule.says_communication(name) || context.stage != Stage::kUNATTRIBUTED;  // or collective args
    if (truth != (attribution.activity[row] == ActivityClass::kCommunication)) names.insert(name);
  }
  return names;
}

}  // namespace

TEST_CASE("every real Kineto trace gives the independent figures, to the nanosecond") {
  const auto truth = test::read_truth();
  if (!truth) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  const TruthRule rule(truth->comm_regex);
  std::size_t devices = 0;
  for (const test::TruthFile& file : truth->kineto) {
    INFO(file.path);
    const Trace trace = load_trace({(test::real_traces() / file.path).string()}, "auto", {});
    const Attribution attribution = attribute(trace);
    CHECK(differing_names(trace, attribution, rule) == kKnownBetter);
    const auto keys = devices_with_work(trace);
    REQUIRE(keys.size() == file.devices.size());
    for (const test::TruthDevice& expected : file.devices) {
      INFO("device " << expected.device);
      const DeviceKey* key = nullptr;
      for (const DeviceKey& k : keys)
        if (std::to_string(k.device) == expected.device) key = &k;
      REQUIRE(key != nullptr);
      const DeviceActivity found = device_activity(trace, attribution, *key, {});
      CHECK(found.communication.measure() == expected.comm);
      CHECK(found.compute.measure() == expected.compute);
      CHECK(found.copies.measure() == expected.mem);
      CHECK(found.exposed().measure() == expected.exposed);
      CHECK(found.exposed().subtract(found.copies).measure() == expected.exposed_mem);
      CHECK(found.busy.measure() == expected.busy);
      ++devices;
    }
  }
  CHECK(devices > 80);
}
