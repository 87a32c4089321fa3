// SPDX-License-Identifier: Apache-2.0
// DeepSeek's published V3 training trace: the case that every tool which knows communication by "nccl" gets wrong.
#include "analyzer/import/importer.h"
#include "analyzer/metric/device_activity.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("DeepSeek's training trace: communication, its exposed part, by annotation, and its control kernels") {
  const auto path = test::real_traces() / "kineto/deepseek_profile_data/train.json.gz";
  if (!std::filesystem::exists(path)) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  const Trace trace = load_trace({path.string()}, "auto", {});
  const Attribution attribution = attribute(trace);
  const auto devices = devices_with_work(trace);
  REQUIRE(devices.size() == 1);
  const DeviceActivity activity = device_activity(trace, attribution, devices[0], {});
  CHECK(activity.communication.measure() == 113'440'000);
  CHECK(activity.exposed().measure() == 4'190'000);
  CHECK(1 - 4'190'000.0 / 113'440'000 == Approx(0.9631).margin(0.00005));
  CHECK(activity.compute.measure() == 124'310'000);
  CHECK(activity.busy.measure() == 128'515'000);
  CHECK(activity.busy.hull().length() == 129'012'000);
  // notify_dispatch, cached_notify and get_dispatch_layout move no payload: 8,968 + 23,610 + 410 us.
  CHECK(activity.control.measure() == 32'988'000);

  std::map<std::string, std::vector<Interval>> by_annotation;
  std::map<std::string, int> control_kernels;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    if (attribution.activity[row] != ActivityClass::kCommunication) continue;
    REQUIRE(attribution.annotation[row] >= 0);
    by_annotation[trace.names[static_cast<std::size_t>(attribution.annotation[row])]].push_back(
        trace.spans.interval(row));
    const std::string_view name = trace.name_of(row);
    const bool sync = name.find("notify") != std::string_view::npos;
    const bool meta = name.find("layout") != std::string_view::npos;
    CHECK(attribution.part[row] == (sync ? Part::kSYNC : meta ? Part::kMETA : Part::kPAYLOAD));
  }
  const auto exposed = [&](const std::string& annotation) {
    return static_cast<double>(IntervalSet::from(by_annotation[annotation]).subtract(activity.compute).measure()) /
           1000;
  };
  CHECK(by_annotation.size() == 4);
  CHECK(exposed("dispatch(F)") == Approx(255).margin(1));
  CHECK(exposed("dispatch(B)") == Approx(1897).margin(1));
  CHECK(exposed("combine(F)") == Approx(653).margin(1));
  CHECK(exposed("combine(B)") == Approx(1385).margin(1));

  // Backward, the stage and the role part ways.
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    if (attribution.activity[row] != ActivityClass::kCommunication) continue;
    const std::string& annotation = trace.names[static_cast<std::size_t>(attribution.annotation[row])];
    CHECK(attribution.role[row] == (annotation.starts_with("dispatch") ? Stage::kDISPATCH : Stage::kCOMBINE));
    CHECK(attribution.pass[row] == (annotation.ends_with("(F)") ? Pass::kFORWARD : Pass::kBACKWARD));
    if (trace.name_of(row).find("::combine<") != std::string_view::npos)
      CHECK(attribution.stage[row] == Stage::kCOMBINE);
  }
  // L1 has twice the FLOPs of L2, forward and backward, which shows in the GEMMs' times though not in their names.
  int l1 = 0, l2 = 0;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    if (trace.name_of(row).find("m_grouped") == std::string_view::npos) continue;
    const bool longer = trace.spans.duration[row] > 1'400'000;
    CHECK(attribution.stage[row] == (longer ? Stage::kL1 : Stage::kL2));
    ++(longer ? l1 : l2);
  }
  CHECK(l1 == 8);
  CHECK(l2 == 8);
  CHECK(trace.steps.size() == 1);
  CHECK(trace.ranks.at(0).world_size == 64);
  CHECK(trace.devices.at(0).name == "NVIDIA H800");
  REQUIRE(attribution.attributed_fraction);
  CHECK(*attribution.attributed_fraction > 0.9);
}
