// SPDX-License-Identifier: Apache-2.0
// GPU and NIC samples, devices' names, and what the recorder says of itself.
#include <map>

#include "analyzer/import/importer.h"
#include "tests/analyzer/import/nsys_export.h"
#include "tests/support/process.h"

using namespace moescope;
using test::global_id;
using test::NsysExport;

TEST_CASE("GPU metrics by name, of the rank's own GPU; bytes of network cards as running totals") {
  const test::ScratchFolder folder;
  const std::string path = folder / "metrics.sqlite";
  {
    NsysExport file(path);
    file.session(1'000'000, "node");
    const auto id = file.string("kernel");
    file.kernel_table();
    file.kernel(0, 100, 5, 0, 7, 1, id);
    // CUDA's device 0 of this process is the target's GPU 3.
    file.sql("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER)");
    file.sql("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 5)");
    file.sql("CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER)");
    file.sql("INSERT INTO TARGET_INFO_GPU VALUES (0, 'other', 1), (3, 'NVIDIA H200', 132)");
    file.sql(
        "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, "
        "metricName TEXT)");
    file.sql(
        "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (515, 1, 'x', 1, 'NVLink TX Responses User Data [Throughput "
        "%]'), (515, 1, 'x', 2, 'GPC Clock Frequency [MHz]'), (512, 1, 'x', 1, 'SMs Active [Throughput %]')");
    file.sql(
        "CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, metricId INTEGER, value "
        "INTEGER)");
    // 515 = 2 * 256 + 3: GPU 3; 512: GPU 0, which no rank uses; metric 8 has no name.
    file.sql(
        "INSERT INTO GPU_METRICS VALUES (0,50,515,1,73), (0,50,515,2,1980000000), (0,60,512,1,10), (0,60,515,8,1)");
    file.sql("CREATE TABLE TARGET_INFO_NIC_INFO (GUID INTEGER, nicId INTEGER, name TEXT)");
    file.sql("INSERT INTO TARGET_INFO_NIC_INFO VALUES (77, 0, 'mlx5_0'), (78, 1, 'mlx5_1')");
    file.sql("CREATE TABLE NIC_ID_MAP (nicId INTEGER, globalId INTEGER)");
    file.sql("INSERT INTO NIC_ID_MAP VALUES (0, 1000), (1, 2000)");
    file.sql(
        "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INTEGER, metricsIdx INTEGER, name TEXT, "
        "description TEXT, unit TEXT)");
    file.sql(
        "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (1,0,'IB: Bytes sent','','bytes/ms'), (1,1,'IB: Bytes "
        "received','','bytes/ms'), (2,0,'Eth: Bytes sent','','bytes'), (1,2,'IB: Send waits','','ticks/ms')");
    file.sql(
        "CREATE TABLE NET_NIC_METRIC (start INTEGER, end INTEGER, globalId INTEGER, portId INTEGER, metricsListId "
        "INTEGER, metricsIdx INTEGER, value INTEGER)");
    file.sql(
        "INSERT INTO NET_NIC_METRIC VALUES (0,2000000,1000,1,1,0,500), (0,2000000,1000,1,1,1,10), "
        "(2000000,3000000,1000,1,1,0,40), (0,1000000,2000,1,2,0,900), (0,1000000,1000,1,1,2,5)");
  }
  const Trace trace = load_trace({path}, "auto", {});
  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].name == "NVIDIA H200");
  CHECK(trace.devices[0].sm_count == 132);
  REQUIRE(trace.device_samples.size() == 2);
  std::map<std::string, double> samples;
  for (const DeviceSample& one : trace.device_samples) {
    CHECK(one.time == 1'000'050);
    CHECK(one.device == DeviceKey{RankId(0), 0});
    samples[trace.names[static_cast<std::size_t>(one.quantity.value)]] = one.value;
  }
  CHECK(samples.at("nvlink_tx_responses_user_data_percent") == 73);
  CHECK(samples.at("gpc_clock_frequency_mhz") == Approx(1'980));

  REQUIRE(trace.links.size() == 2);
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> totals;
  for (const LinkSample& one : trace.link_samples)
    totals[trace.links[static_cast<std::size_t>(one.link.value)].name].emplace_back(one.tx_bytes, one.rx_bytes);
  using Totals = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(totals.at("mlx5_0") == Totals{{1'000, 20}, {1'040, 20}});  // 500 a ms for 2 ms, then 40 for 1 ms
  CHECK(totals.at("mlx5_1") == Totals{{900, 0}});
  std::map<std::string, std::int64_t> codes;
  for (const Diagnostic& one : trace.diagnostics) codes[one.code] += one.count;
  CHECK(codes["metric_unnamed"] == 1);
  CHECK(codes["event_left_out"] == 2);  // a GPU nobody uses, a metric that is no bytes
}

TEST_CASE("the recorder's own warnings, what it lost, and what is left out of its export") {
  const test::ScratchFolder folder;
  const std::string path = folder / "said.sqlite";
  {
    NsysExport file(path);
    const auto id = file.string("kernel");
    file.kernel_table();
    file.kernel(0, 100, 5, 0, 7, 1, id);
    file.sql(
        "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER, "
        "text TEXT NOT NULL, globalPid INTEGER)");
    const auto says = [&file](int severity, const std::string& text, std::int64_t process) {
      file.sql("INSERT INTO DIAGNOSTIC_EVENT VALUES (0,1,1," + std::to_string(severity) + ",'" + text + "'," +
               std::to_string(process) + ")");
    };
    says(1, "Profiling has started.", 0);
    says(2, "a warning\nof two lines", global_id(5));
    says(2, "a warning\nof two lines", global_id(0));
    says(2, "a warning\nof two lines", global_id(77));  // a process without device work
    says(2, "Unable to collect samples. perf event paranoid level is 2.", 0);
    says(3, "CUDA trace failed", -144115188075855872);
    says(2, "1234 events were dropped", 0);
    says(2, "Some events might have been lost: 1 of 2 buffers", 0);
    file.sql("CREATE TABLE OSRT_API (start INTEGER, end INTEGER)");
    file.sql("INSERT INTO OSRT_API VALUES (1,2), (3,4)");
    file.sql("CREATE TABLE TARGET_INFO_EVENTS (a)");
    file.sql("INSERT INTO TARGET_INFO_EVENTS VALUES (1)");
  }
  const Trace trace = load_trace({path}, "auto", {});
  std::map<std::string, Diagnostic> codes;
  std::map<std::string, std::int64_t> recorder;  // by severity and text
  for (const Diagnostic& one : trace.diagnostics) {
    codes[one.code] = one;
    if (one.code == "recorder_warning") recorder[one.severity + " " + one.detail] = one.count;
  }
  CHECK(recorder.size() == 3);
  CHECK(recorder["warning recorder: a warning of two lines"] == 2);
  CHECK(recorder["info recorder: Unable to collect samples. perf event paranoid level is 2."] == 1);
  CHECK(recorder["info recorder: warnings about processes without device work"] == 1);
  CHECK(codes.at("recorder_error").severity == "error");
  CHECK(codes.at("records_dropped").count == 1'234);
  CHECK(codes.at("recorder_lost_records").count == 1);
  CHECK(codes.at("table_left_out").count == 2);
  CHECK(codes.at("table_left_out").detail.find("OSRT_API") != std::string::npos);
}
