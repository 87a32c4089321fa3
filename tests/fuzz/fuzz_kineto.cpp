// SPDX-License-Identifier: Apache-2.0
// Damaged Kineto files, plain and gzip: a trace or a TraceError, never anything else; and what is read can be analysed.
#include "analyzer/import/importer.h"
#include "analyzer/metric/device_activity.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/gzip_text.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

const std::vector<std::string> kTokens = {"\"",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\\",
                                          "\\\"",
                                          "\\u0000",
                                          "null",
                                          "1e308",
                                          "-1",
                                          "9223372036854775807",
                                          "18446744073709551616",
                                          "0.0000000001",
                                          "1e-400",
                                          "\"ph\": \"B\"",
                                          "\"ph\": \"E\"",
                                          "\"cat\": \"kernel\"",
                                          "\"ts\": ",
                                          "\"dur\": -5",
                                          "\"args\": {",
                                          "\"correlation\": 0",
                                          "\"traceEvents\": [",
                                          "\"distributedInfo\": {\"rank\": -3}",
                                          "\"baseTimeNanoseconds\": 9223372036854775807",
                                          "\"device\": 4294967296",
                                          "ProfilerStep#",
                                          "\xff",
                                          "\xc3",
                                          "\n",
                                          std::string(1, '\0'),
                                          "\"Collective name\": \"allreduce\"",
                                          "\"Group size\": 0",
                                          "_ZN"};

// True where it could be read.
bool read_and_analyse(const std::string& path, bool salvage) {
  ImportOptions options;
  options.salvage = salvage;
  try {
    const Trace trace = load_trace({path}, "kineto", options);
    const Attribution attribution = attribute(trace);
    REQUIRE(attribution.stage.size() == trace.spans.size());
    for (const DeviceKey& key : devices_with_work(trace)) {
      const DeviceActivity activity = device_activity(trace, attribution, key, {});
      REQUIRE(activity.exposed().measure() <= activity.communication.measure());
    }
    return true;
  } catch (const TraceError& error) {
    const std::string message = error.what();
    REQUIRE(message.starts_with(path));
    REQUIRE(message.find('\n') == std::string::npos);
    return false;
  }
}

// A few events of each kind: small, so that most changes hit something.
std::string small_trace() {
  return R"json({"schemaVersion": 1, "distributedInfo": {"rank": 1, "world_size": 8},
"deviceProperties": [{"id": 0, "name": "GPU", "numSms": 132}], "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#5", "pid": 1, "tid": 1, "ts": 10.5, "dur": 400},
{"ph": "X", "cat": "user_annotation", "name": "dispatch(F)", "pid": 1, "tid": 1, "ts": 11, "dur": 30},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "dur": 2, "args": {"correlation": 1}},
{"ph": "B", "cat": "x", "name": "open", "pid": 1, "tid": 1, "ts": 20}, {"ph": "E", "pid": 1, "tid": 1, "ts": "25"},
{"ph": "X", "cat": "kernel", "name": "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", "pid": 0, "tid": 7, "ts": 100,
 "dur": 10.125, "args": {"device": 0, "stream": 7, "correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 0, "tid": 9, "ts": 105, "dur": 1, "args": {"stream": 9,
 "Collective name": "all_to_allv", "In msg nelems": 8, "Out msg nelems": 8, "Group size": 2, "dtype": "Half",
 "In split size": "[3, 5]", "Process Group Ranks": "[0, 1]"}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "pid": 0, "tid": 7, "ts": 1e3, "dur": 1, "args": {"bytes": 4}},
{"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7 "}}],
"baseTimeNanoseconds": 1000, "traceName": "t"
})json";
}

}  // namespace

TEST_CASE("a damaged Kineto file is read or refused, never a crash") {
  const test::ScratchFolder folder;
  test::Mutator mutator(1, kTokens);
  const std::string text = small_trace(), path = folder / "t.json";
  std::size_t read = 0;
  for (int i = 0; i < 4'000; ++i) {
    const std::string bytes = mutator.mutate(text);
    test::write_file(path, bytes);
    INFO("round " << i);
    read += read_and_analyse(path, i % 3 == 0);
  }
  CHECK(read > 400);  // the damage is neither always fatal nor never
  CHECK(read < 3'900);
}

TEST_CASE("a damaged gzip file is read or refused, never a crash") {
  const test::ScratchFolder folder;
  test::Mutator mutator(2, {std::string("\x1f\x8b"), "\x1f\x8b\x08", std::string(9, '\0'), std::string(3, '\xff')});
  const std::string packed = test::gzipped(small_trace()), path = folder / "t.json.gz";
  std::size_t refused = 0;
  for (int i = 0; i < 3'000; ++i) {
    test::write_file(path, mutator.mutate(packed));
    INFO("round " << i);
    refused += !read_and_analyse(path, i % 3 == 0);
  }
  CHECK(refused > 1'000);
}

TEST_CASE("noise of any kind is refused") {
  const test::ScratchFolder folder;
  test::Mutator mutator(3, {});
  const std::string path = folder / "noise.json";
  for (int i = 0; i < 1'000; ++i) {
    test::write_file(path, (i % 2 ? "[" : "{\"traceEvents\": [") + mutator.noise(200));
    read_and_analyse(path, i % 2 == 0);
  }
  SUCCEED();
}
