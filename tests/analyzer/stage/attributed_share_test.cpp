// SPDX-License-Identifier: Apache-2.0
// How much of the device time of real traces the rules give a stage: the table is printed, and may only get better.
#include <cstdio>
#include <map>
#include <numeric>

#include "analyzer/import/importer.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

// Share of the time of all spans of work, summed: counted here apart from the attribution's own figure, which takes
// unions. Names that no rule knows, by time.
struct Share {
  double known = 0, all = 0;
  std::map<std::string, double> unknown;
};
Share share_of(const Trace& trace, const Attribution& attribution) {
  Share share;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    if (attribution.activity[row] == ActivityClass::kNone) continue;
    const auto time = static_cast<double>(trace.spans.interval(row).length());
    share.all += time;
    if (attribution.stage[row] != Stage::kUNATTRIBUTED)
      share.known += time;
    else
      share.unknown[std::string(trace.name_of(row))] += time;
  }
  return share;
}

}  // namespace

TEST_CASE("the share of device time with a stage, on every real trace of PyTorch's profiler") {
  const auto traces = test::real_traces();
  if (!std::filesystem::exists(traces)) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  // The share before rules for dense libraries, embeddings, optimizers, LightLLM and AMD's stack, and what it must
  // reach.
  struct Row {
    const char* path;
    double before, least;
  };
  const Row rows[] = {
      {"deepseek_profile_data/train.json.gz", 0.9996, 1},
      {"lightllm_dsv3_decode_deepep_ll_ep8", 0.9285, 1},
      {"lightllm_dsv3_decode_overlap_ep8", 0.8609, 1},
      {"lightllm_dsv3_decode_sglangquant_a_ep8", 0.9436, 1},
      {"lightllm_dsv3_decode_sglangquant_e_ep8", 0.9846, 1},
      {"lightllm_dsv3_decode_tp8_customallreduce", 0.5221, 1},
      {"megatron_tp2_v100", 0.9870, 1},
      {"param/dlrm_worker0_step_12.1694128201545.pt.trace.json.gz", 0.9719, 1},
      {"torchao_ep_moe/ref_ep_moe_fwd.json.gz", 0.9964, 1},
      {"torchrec_dlrm_a2a_opt2_4rank", 0.9381, 1},
      {"torchrec_dlrm_a2a_opt4_4rank", 0.5611, 1},
      {"hta/df_index_resolver__df_index_resolver.json.gz", 0.5874, 0.999},
      {"hta/negative_queue_length_values_check__rank0.json.gz", 0.8862, 1},
      {"hta/timeline_analysis__sampled_rank-0.json.gz", 0.8892, 0.999},
      {"kineto_tb/resnet50_nw0_early.json.gz", 0.1777, 0.999},
      {"tracelens/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1, 1},
      {"tracelens/inference__sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode.json.gz", 0.1110, 0.999},
      {"tracelens/inference__vllm_decode_full__graph_execution.json.gz", 0.8788, 0.993},
      {"tracelens/inference__xdit_sd_3.5__profile_trace_rank_0.json.gz", 0.1413, 0.999},
      {"tracelens/mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 0.4756, 1}};
  std::printf("%-90s %8s %8s\n", "trace", "before", "now");
  for (const Row& row : rows) {
    INFO(row.path);
    const Trace trace = load_trace({(traces / "kineto" / row.path).string()}, "auto", {});
    const Attribution attribution = attribute(trace);
    const Share share = share_of(trace, attribution);
    REQUIRE(share.all > 0);
    std::string unknown;
    for (const auto& [name, time] : share.unknown)
      unknown += std::to_string(time / share.all) + " " + name.substr(0, 120) + "\n";
    INFO("of no rule:\n" << unknown);
    const double now = share.known / share.all;
    CHECK(now >= row.least);
    CHECK(now >= row.before - 0.02);
    REQUIRE(attribution.attributed_fraction);
    CHECK(*attribution.attributed_fraction >= row.least - 0.001);
    std::printf("%-90s %6.1f %% %6.1f %%\n", row.path, 100 * row.before, 100 * now);
  }
}

// The model is known: 58 layers with experts, each with one shared expert of two projections, one decode step.
TEST_CASE("a decode step of DeepSeek-V3 has each stage once a layer") {
  const auto traces = test::real_traces();
  if (!std::filesystem::exists(traces)) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  for (const char* run : {"lightllm_dsv3_decode_deepep_ll_ep8/rank0.pt.trace.json.gz",
                          "lightllm_dsv3_decode_sglangquant_a_ep8/rank3.pt.trace.json.gz"}) {
    INFO(run);
    const Trace trace = load_trace({(traces / "kineto" / run).string()}, "auto", {});
    const Attribution attribution = attribute(trace);
    std::map<Stage, int> count;
    for (std::size_t row = 0; row < trace.spans.size(); ++row)
      if (trace.context_of(row).kind == SpanKind::kKERNEL) ++count[attribution.stage[row]];
    CHECK(count[Stage::kROUTER] == 58);
    CHECK(count[Stage::kDISPATCH] == 58);
    CHECK(count[Stage::kL1] == 58);
    CHECK(count[Stage::kL2] == 58);
    CHECK(count[Stage::kCOMBINE] == 58);
    CHECK(count[Stage::kSHARED_EXPERT] == 116);
  }
}

// What no table of names can know must stay unknown: these are not of machine learning at all.
TEST_CASE("kernels of other worlds are given no stage") {
  for (const char* name :
       {"void clover::par_ranged2d_kernel<PdV_kernel(bool, int)::{lambda(int, int)#1}>(int)", "add_parallel",
        "void fft3d_r2c_16x16x16<float, float, float2>(int)", "my_kernel", "void example::step<double>(int)",
        "void gromacs::nbnxn_kernel_ElecEw(int)", "computeForces(float4*, int)"}) {
    INFO(name);
    TraceBuilder builder;
    Track track;
    track.kind = TrackKind::kGPU_STREAM;
    track.device = 0;
    track.clock = builder.clock({});
    const TrackId stream = builder.track(track);
    Context context;
    context.kind = SpanKind::kKERNEL;
    builder.span(0, 10, stream, builder.name(name), builder.context(context));
    const Trace trace = builder.finish();
    const Attribution attribution = attribute(trace);
    CHECK(attribution.stage[0] == Stage::kUNATTRIBUTED);
    CHECK(*attribution.attributed_fraction == 0);
  }
}
