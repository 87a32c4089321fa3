// SPDX-License-Identifier: Apache-2.0
// Damaged Nsight Systems exports: a trace or a TraceError in one line, never anything else.
#include "analyzer/import/importer.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/nsys_export.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

void write_export(const std::string& path) {
  test::NsysExport file(path);
  file.session(1'700'000'000'000'000'000, "node");
  const auto kernel = file.string("ncclDevKernel_SendRecv(x)"), gemm = file.string("gemm"),
             call = file.string("cudaLaunchKernel_v7000"), range = file.string("layer");
  file.kernel_table();
  file.call_table();
  file.range_table();
  for (int i = 0; i < 60; ++i) {
    file.kernel(i * 100 + 50, i * 100 + 90, 5, 0, 7 + i % 2, i, i % 3 ? gemm : kernel);
    file.call(i * 100 + 10, i * 100 + 20, 5, 6, i, call);
    file.range(i * 100, std::to_string(i * 100 + 30), 59, i % 2 ? "ncclSend" : "", std::to_string(range), 5, 6,
               i % 2 ? test::NsysPayloadBytes(25).add(std::uint64_t{1}).add(std::uint64_t{64}).bytes() : "");
  }
}

}  // namespace

TEST_CASE("a damaged Nsight Systems export is read or refused, never a crash") {
  const test::ScratchFolder folder;
  write_export(folder / "good.sqlite");
  const std::string good = test::contents(folder / "good.sqlite"), path = folder / "bad.sqlite";
  test::Mutator mutator(7, {"SQLite format 3", std::string(8, '\xff'), std::string(8, '\0'), "start", "CREATE TABLE"});
  std::size_t refused = 0, read = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = good;
    for (std::size_t hits = 0; hits < (i % 4 == 0 ? 2u : 40u); ++hits)
      bytes[mutator.below(i % 2 ? 16'384 : bytes.size())] = static_cast<char>(mutator.below(256));
    if (i % 3 == 0) bytes = mutator.mutate(bytes);
    test::write_file(path, bytes);
    INFO("round " << i);
    try {
      const Trace trace = load_trace({path}, "nsys", {});
      REQUIRE(attribute(trace).stage.size() == trace.spans.size());
      ++read;
    } catch (const TraceError& error) {
      const std::string message = error.what();
      INFO(message);
      REQUIRE(message.starts_with(path));
      REQUIRE(message.find('\n') == std::string::npos);
      ++refused;
    }
  }
  CHECK(refused > 100);
  CHECK(read > 20);
}
