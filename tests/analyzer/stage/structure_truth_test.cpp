// SPDX-License-Identifier: Apache-2.0
// Steps and layers found in real traces, against what is known of the jobs or marked in the records.
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include "analyzer/import/importer.h"
#include "analyzer/stage/attribution.h"
#include "tests/analyzer/import/real_traces.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

Trace load(const std::string& path) {
  return load_trace({(test::real_traces() / "kineto" / path).string()}, "auto", {});
}

std::size_t spans_named(const Trace& trace, std::string_view name) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < trace.spans.size(); ++row) count += trace.name_of(row) == name;
  return count;
}

// As if nobody had marked a step.
void unmark(Trace& trace) {
  trace.steps.clear();
  for (Context& context : trace.contexts) context.step = {};
  for (std::string& name : trace.names)
    if (name.starts_with("ProfilerStep#")) name = "span";
}

}  // namespace

TEST_CASE("DeepSeek-V3's 58 layers are found on every rank of every decode run") {
  if (!std::filesystem::exists(test::real_traces())) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  struct Row {
    const char* run;
    int micro_batches;
    int exchange_kernels;  // dispatch and combine, of one layer of one micro-batch
  };
  for (const Row& row :
       {Row{"lightllm_dsv3_decode_deepep_ll_ep8", 1, 2}, Row{"lightllm_dsv3_decode_sglangquant_a_ep8", 1, 2},
        Row{"lightllm_dsv3_decode_sglangquant_e_ep8", 1, 2}, Row{"lightllm_dsv3_decode_overlap_ep8", 2, 4}}) {
    INFO(row.run);
    const Trace trace = load(row.run);
    const Attribution attribution = attribute(trace);
    const Structure& structure = attribution.structure;
    CHECK(structure.step_fact.origin == Origin::kNone);  // one decode step: nothing repeats as a whole
    CHECK(structure.layer_fact.origin == Origin::kFound);
    CHECK((structure.micro_batch_fact.origin == Origin::kFound) == (row.micro_batches > 1));
    CHECK(structure.wave_fact.origin == Origin::kNone);
    std::map<std::tuple<int, int, int>, std::map<Stage, int>> layers;  // by rank, layer, micro-batch
    for (std::size_t span = 0; span < trace.spans.size(); ++span) {
      const Place& place = structure.at(span);
      if (!place.layer.valid()) continue;
      ++layers[{trace.track_of(span).rank.value, place.layer.value, place.micro_batch.value}][attribution.stage[span]];
    }
    CHECK(layers.size() == static_cast<std::size_t>(8 * 58 * row.micro_batches));
    for (const auto& [at, stages] : layers) {
      INFO("rank " << std::get<0>(at) << ", layer " << std::get<1>(at) << ", micro-batch " << std::get<2>(at));
      CHECK(std::get<1>(at) < 58);
      CHECK(stages.at(Stage::kL1) == 1);
      CHECK(stages.at(Stage::kL2) == 1);
      CHECK(stages.at(Stage::kDISPATCH) + stages.at(Stage::kCOMBINE) == row.exchange_kernels);
    }
  }
  // Without experts' parallelism there is no exchange to find layers by.
  const Trace tensor_parallel = load("lightllm_dsv3_decode_tp8_customallreduce/rank0.pt.trace.json.gz");
  const Attribution attribution = attribute(tensor_parallel);
  CHECK(attribution.structure.layer_fact.origin == Origin::kNone);
  CHECK(attribution.structure.step_fact.origin == Origin::kNone);
}

TEST_CASE("a training chunk's layers, forward and backward, follow its marked ranges") {
  if (!std::filesystem::exists(test::real_traces())) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  const Trace trace = load("deepseek_profile_data/train.json.gz");
  const Attribution attribution = attribute(trace);
  CHECK(attribution.structure.step_fact.origin == Origin::kMarked);
  CHECK(attribution.structure.layer_fact.origin == Origin::kFound);
  CHECK(attribution.structure.wave_fact.origin == Origin::kNone);
  // dispatch(F), combine(F), dispatch(B) and combine(B) are four ranges each, in turn.
  std::map<std::pair<bool, int>, std::map<Stage, int>> layers;  // by backward, layer: roles
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (const Place& place = attribution.structure.at(row); place.layer.valid() && !is_control(attribution.part[row]))
      ++layers[{attribution.pass[row] == Pass::kBACKWARD, place.layer.value}][attribution.role[row]];
  CHECK(layers.size() == 8);
  for (auto& [at, roles] : layers) {
    INFO("backward " << at.first << ", layer " << at.second);
    CHECK(at.second < 4);
    CHECK(roles[Stage::kDISPATCH] == 1);
    CHECK(roles[Stage::kCOMBINE] == 1);
    CHECK(roles[Stage::kL1] == 1);
    CHECK(roles[Stage::kL2] == 1);
  }
}

TEST_CASE("an expert layer over NCCL: its all-to-alls have a role") {
  if (!std::filesystem::exists(test::real_traces())) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  const Trace trace = load("torchao_ep_moe/ref_ep_moe_fwd.json.gz");
  const Attribution attribution = attribute(trace);
  std::map<Stage, int> roles;
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (attribution.activity[row] == ActivityClass::kCommunication) ++roles[attribution.role[row]];
  CHECK(attribution.structure.layer_fact.origin == Origin::kFound);
  CHECK(roles[Stage::kDISPATCH] == 20);  // ten passes: counts and tokens out, tokens back
  CHECK(roles[Stage::kCOMBINE] == 10);
  // Its experts are silu(x w1) * (x w3), then w2: three grouped GEMMs.
  const auto count = [&](Stage stage) { return std::count(attribution.stage.begin(), attribution.stage.end(), stage); };
  CHECK(count(Stage::kL1) == 20);
  CHECK(count(Stage::kL2) == 10);
}

TEST_CASE("steps nobody marked: as many as the optimizer's, or as the marks that were taken away") {
  if (!std::filesystem::exists(test::real_traces())) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  struct Row {
    const char* path;
    const char* once_a_step;  // a range of the framework's; null: the marks
  };
  for (const Row& row : {Row{"param/linear_kineto.json.gz", "Optimizer.step#SGD.step"},
                         Row{"param/resnet_kineto.json.gz", "Optimizer.step#SGD.step"},
                         Row{"hta/nccl_parser_config__nccl_data.json.gz", nullptr},
                         Row{"hta/df_index_resolver__df_index_resolver.json.gz", nullptr},
                         Row{"hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", nullptr},
                         Row{"hta/trace_diff__control__control.json.gz", nullptr},
                         Row{"torchrec_dlrm_a2a_opt4_4rank/rank0.pt.trace.json.gz", nullptr},
                         Row{"tracelens/mi300__resnet_act_checkpoint.json.gz", nullptr}}) {
    INFO(row.path);
    Trace trace = load(row.path);
    // How many spans of device work a marked step launched, and how many a found one holds.
    const auto usual_spans = [&trace](const auto& step_of) {
      std::map<std::pair<std::int32_t, StepId>, std::size_t> spans;
      for (std::size_t span = 0; span < trace.spans.size(); ++span)
        if (trace.track_of(span).is_execution() && step_of(span).valid())
          ++spans[{trace.track_of(span).rank.value, step_of(span)}];
      std::vector<std::size_t> counts;
      for (const auto& [step, count] : spans) counts.push_back(count);
      std::sort(counts.begin(), counts.end());
      return counts.empty() ? 0.0 : static_cast<double>(counts[counts.size() / 2]);
    };
    std::size_t want = trace.steps.size();
    if (row.once_a_step != nullptr) want = spans_named(trace, row.once_a_step);
    const double marked = usual_spans([&](std::size_t span) { return trace.context_of(span).step; });
    unmark(trace);
    const Attribution attribution = attribute(trace);
    const Structure& structure = attribution.structure;
    std::printf("%-75s %zu, found %zu (%.3f)\n", row.path, want, structure.steps.size(),
                structure.step_fact.confidence);
    CHECK(structure.step_fact.origin == Origin::kFound);
    // The device may still be at work on a step from before the marks.
    CHECK(structure.steps.size() >= want);
    CHECK(structure.steps.size() <= want + (row.once_a_step == nullptr));
    if (row.once_a_step != nullptr) continue;
    const double found = usual_spans([&](std::size_t span) { return structure.at(span).step; });
    CHECK(found == Approx(marked).epsilon(0.02));
  }
}

TEST_CASE("what does not repeat as a whole has no steps") {
  if (!std::filesystem::exists(test::real_traces())) MOESCOPE_SKIP("no ../shared/data/traces beside the source");
  for (const char* path :
       {"megatron_tp2_v100/rank0.pt.trace.json.gz", "tracelens/mi210__gpu_only_trace__gpu_only_trace.json.gz",
        "tracelens/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
        "tracelens/inference__xdit_sd_3.5__profile_trace_rank_0.json.gz"}) {
    INFO(path);
    Trace trace = load(path);
    unmark(trace);
    const Attribution attribution = attribute(trace);
    CHECK(attribution.structure.step_fact.origin == Origin::kNone);
    CHECK(attribution.structure.step_fact.confidence < kLeastConfidence);
  }
}
