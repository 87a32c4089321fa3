// SPDX-License-Identifier: Apache-2.0
// Every real Nsight Systems export against truth.json, to the nanosecond. Their truth is a device of a process, named
// "pid:dev PID:DEVICE"; a process is a rank here, and the file's ranks are in the order of their devices.
#include <algorithm>

#include "analyzer/import/importer.h"
#include "analyzer/metric/device_activity.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

struct Counts {
  std::int64_t compute = 0, comm = 0, memcpy = 0, memset = 0;
};

Counts counts_of(const Trace& trace, const Attribution& attribution, DeviceKey key) {
  Counts counts;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    const Track& track = trace.track_of(row);
    if (!track.is_execution() || DeviceKey{track.rank, track.device} != key) continue;
    switch (trace.context_of(row).kind) {
      case SpanKind::kKERNEL:
        ++(attribution.activity[row] == ActivityClass::kCommunication ? counts.comm : counts.compute);
        break;
      case SpanKind::kCOPY:
        ++counts.memcpy;
        break;
      case SpanKind::kMEMSET:
        ++counts.memset;
        break;
      default:
        break;
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("every real Nsight Systems export gives the independent figures, to the nanosecond") {
  const auto truth = test::read_truth();
  if (!truth) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  std::size_t devices = 0;
  for (const test::TruthFile& file : truth->nsys) {
    INFO(file.path);
    const Trace trace = load_trace({(test::real_traces() / file.path).string()}, "auto", {});
    REQUIRE(trace.files.size() == 1);
    CHECK(trace.files[0].format == "nsys");
    const Attribution attribution = attribute(trace);
    const auto keys = devices_with_work(trace);
    REQUIRE(keys.size() == file.devices.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const test::TruthDevice& expected = file.devices[i];
      INFO("device " << expected.device);
      CHECK(expected.device.ends_with(":" + std::to_string(keys[i].device)));
      const DeviceActivity found = device_activity(trace, attribution, keys[i], {});
      CHECK(found.communication.measure() == expected.comm);
      CHECK(found.compute.measure() == expected.compute);
      CHECK(found.copies.measure() == expected.mem);
      CHECK(found.exposed().measure() == expected.exposed);
      CHECK(found.exposed().subtract(found.copies).measure() == expected.exposed_mem);
      CHECK(found.busy.measure() == expected.busy);
      CHECK(found.busy.hull().length() == expected.span);
      const Counts counts = counts_of(trace, attribution, keys[i]);
      CHECK(counts.compute == expected.compute_count);
      CHECK(counts.comm == expected.comm_count);
      CHECK(counts.memcpy == expected.memcpy_count);
      CHECK(counts.memset == expected.memset_count);
      ++devices;
    }
  }
  CHECK(devices == 8);
}
