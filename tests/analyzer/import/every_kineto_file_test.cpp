// SPDX-License-Identifier: Apache-2.0
// Every file under kineto/ and other/ of the real traces is either read or refused by the name of its format; and what
// the sets of several ranks must come out as.
#include <set>

#include "analyzer/import/importer.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string error_of(const fs::path& path) {
  try {
    load_trace({path.string()}, "auto", {});
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

std::size_t count(const Trace& trace, const char* code) {
  return static_cast<std::size_t>(std::count_if(trace.diagnostics.begin(), trace.diagnostics.end(),
                                                [code](const Diagnostic& one) { return one.code == code; }));
}

}  // namespace

TEST_CASE("every file is read, with the counts of an independent reading, or refused by its format's name") {
  const auto truth = test::read_truth();
  if (!truth) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  std::map<std::string, const test::TruthFile*> expected;
  for (const test::TruthFile& file : truth->kineto) expected[file.path] = &file;
  std::size_t without_devices = 0;
  for (const fs::path& path : files_below(test::real_traces() / "kineto")) {
    const std::string name = fs::relative(path, test::real_traces()).string();
    INFO(name);
    const Trace trace = load_trace({path.string()}, "auto", {});
    REQUIRE(expected.count(name) == 1);
    std::map<std::string, test::TruthDevice> found;
    std::map<std::string, Interval> hull;
    for (std::size_t row = 0; row < trace.spans.size(); ++row) {
      if (!trace.track_of(row).is_execution()) continue;
      const std::string device = std::to_string(trace.track_of(row).device);
      test::TruthDevice& counts = found[device];
      switch (trace.context_of(row).kind) {
        case SpanKind::kCOPY:
          ++counts.memcpy_count;
          break;
        case SpanKind::kMEMSET:
          ++counts.memset_count;
          break;
        default:
          ++counts.compute_count;  // communication is told apart by attribution; here kernels are kernels
      }
      Interval& whole = hull.try_emplace(device, trace.spans.interval(row)).first->second;
      whole = {std::min(whole.begin, trace.spans.start[row]), std::max(whole.end, trace.spans.end(row))};
    }
    without_devices += found.empty();
    REQUIRE(found.size() == expected[name]->devices.size());
    for (const test::TruthDevice& device : expected[name]->devices) {
      REQUIRE(found.count(device.device) == 1);
      CHECK(found[device.device].compute_count == device.compute_count + device.comm_count);
      CHECK(found[device.device].memcpy_count == device.memcpy_count);
      CHECK(found[device.device].memset_count == device.memset_count);
      CHECK(hull[device.device].length() == device.span);
    }
    expected.erase(name);
  }
  CHECK(expected.empty());
  CHECK(without_devices >= 1);  // traces of the host alone are traces

  std::size_t refused = 0;
  for (const fs::path& path : files_below(test::real_traces() / "other")) {
    INFO(path.string());
    const std::string message = error_of(path);
    CHECK(message.starts_with(path.string() + ": a Chakra execution trace"));
    CHECK(message.find('\n') == std::string::npos);
    ++refused;
  }
  CHECK(refused >= 2);
}

TEST_CASE("the sets of several ranks are one run each, on one clock where their files name one host") {
  const fs::path kineto = test::real_traces() / "kineto";
  if (!fs::exists(kineto)) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  struct Set {
    const char* folder;
    std::size_t ranks, clocks;
    const char* host;
  };
  for (const Set& set : {Set{"lightllm_dsv3_decode_deepep_ll_ep8", 8, 1, "10-116-218-90"},
                         Set{"lightllm_dsv3_decode_overlap_ep8", 8, 1, "10-116-218-90"},
                         Set{"lightllm_dsv3_decode_sglangquant_a_ep8", 8, 1, "10-116-218-90"},
                         Set{"lightllm_dsv3_decode_sglangquant_e_ep8", 8, 1, "10-116-218-90"},
                         Set{"lightllm_dsv3_decode_tp8_customallreduce", 8, 1, "10-116-218-90"},
                         Set{"megatron_tp2_v100", 2, 1, "9c44bd29b3f0"},
                         Set{"torchrec_dlrm_a2a_opt2_4rank", 4, 1, "ip-172-31-16-248.us-east-2.compute.internal"},
                         Set{"torchrec_dlrm_a2a_opt4_4rank", 4, 1, "ip-172-31-16-248.us-east-2.compute.internal"}}) {
    INFO(set.folder);
    const Trace trace = load_trace({(kineto / set.folder).string()}, "auto", {});
    REQUIRE(trace.ranks.size() == set.ranks);
    CHECK(trace.clocks.size() == set.clocks);
    for (std::size_t i = 0; i < set.ranks; ++i) {
      CHECK(trace.ranks[i].rank == RankId(static_cast<std::int32_t>(i)));
      CHECK(trace.ranks[i].host == set.host);
    }
  }
}

TEST_CASE("what real traces say of their collectives") {
  const fs::path kineto = test::real_traces() / "kineto";
  if (!fs::exists(kineto)) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  const Trace moe = load_trace({(kineto / "torchao_ep_moe/ref_ep_moe_fwd.json.gz").string()}, "auto", {});
  std::set<std::int64_t> sequences;
  std::size_t all_to_alls = 0;
  for (const Collective& one : moe.collectives) {
    if (moe.names[static_cast<std::size_t>(one.op.value)] != "all_to_allv") continue;
    ++all_to_alls;
    CHECK(one.group_size == 2);
    CHECK(one.in_splits.size() == 2);
    CHECK(one.out_splits.size() == 2);
    CHECK(one.bytes_in >= 0);
    CHECK(moe.comm_groups.at(static_cast<std::size_t>(one.comm_group)).ranks == std::vector<std::int32_t>{0, 1});
    sequences.insert(one.sequence);
  }
  CHECK(all_to_alls == 30);
  CHECK(sequences.count(-1) == 0);
  CHECK(count(moe, "collectives_without_sizes") == 0);

  const Trace megatron = load_trace({(kineto / "megatron_tp2_v100").string()}, "auto", {});
  CHECK(megatron.collectives.size() == 26);  // the same 13 on each rank
  for (const Collective& one : megatron.collectives)
    CHECK(megatron.comm_groups.at(static_cast<std::size_t>(one.comm_group)).name == "13");

  const Trace dlrm =
      load_trace({(kineto / "torchrec_dlrm_a2a_opt4_4rank/rank0.pt.trace.json.gz").string()}, "auto", {});
  CHECK(count(dlrm, "collectives_without_sizes") == 1);
  CHECK(dlrm.collectives.size() > 0);
}
