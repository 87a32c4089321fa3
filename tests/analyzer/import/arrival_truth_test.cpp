// SPDX-License-Identifier: Apache-2.0
// Waiting and transfer between ranks of real traces. The figures were had from the traces' JSON by a few lines of
// Python: kernels by name, the n-th with the n-th, exact decimal times.
#include <filesystem>

#include "analyzer/import/importer.h"
#include "analyzer/metric/metrics.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

const ArrivalRow* row_of(const Arrivals& arrivals, Stage stage) {
  for (const ArrivalRow& row : arrivals.rows)
    if (row.stage == stage) return &row;
  return nullptr;
}
Arrivals arrivals_of(const std::filesystem::path& folder) {
  const Trace trace = load_trace({folder.string()}, "auto", {});
  return analyze(trace, attribute(trace), {}, Definition::kMoescope, Per::kWindow).arrivals;
}

}  // namespace

TEST_CASE(
    "Megatron's tensor-parallel all-reduces: one rank waits 48 ms for the other, the transfers take a quarter of one") {
  const std::filesystem::path folder = test::real_traces() / "kineto" / "megatron_tp2_v100";
  if (!std::filesystem::exists(folder)) MOESCOPE_SKIP("no ../shared/data beside the source");
  const Arrivals arrivals = arrivals_of(folder);
  REQUIRE(arrivals.clocks);
  const ArrivalRow* row = row_of(arrivals, Stage::kALLREDUCE);
  REQUIRE(row != nullptr);
  REQUIRE(row->cells.size() == 2);
  CHECK(row->cells[0]->count == 13);
  CHECK(row->cells[0]->wait == 0);
  CHECK(row->cells[1]->wait == 48'198'067);
  CHECK(row->cells[0]->transfer == 268'507);
  CHECK(row->cells[0]->caused == 48'198'067);
}

TEST_CASE("TorchRec's all-to-alls: three ranks wait three seconds for rank 2, whose record lacks the first call") {
  const std::filesystem::path folder = test::real_traces() / "kineto" / "torchrec_dlrm_a2a_opt2_4rank";
  if (!std::filesystem::exists(folder)) MOESCOPE_SKIP("no ../shared/data beside the source");
  const Arrivals arrivals = arrivals_of(folder);
  REQUIRE(arrivals.clocks);
  const ArrivalRow* row = row_of(arrivals, Stage::kSENDRECV);
  REQUIRE(row != nullptr);
  REQUIRE(row->cells.size() == 4);
  CHECK(row->cells[0]->count == 17);
  CHECK(row->cells[2]->count == 16);
  // A call of 60 us on a device whose clock is 70 us off may find no partner: that much is between the figures.
  const double expected[] = {3'044'524'000.0, 3'048'510'000.0, 6'380'000.0, 3'047'344'000.0};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CAPTURE(rank);
    CHECK(static_cast<double>(row->cells[rank]->wait) == Approx(expected[rank]).margin(500'000).epsilon(0));
  }
  REQUIRE(arrivals.worst.size() == kWorstKept);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(arrivals.worst[i].last == RankId(2));
    CHECK(arrivals.worst[i].wait > 990'000'000);
  }
}
