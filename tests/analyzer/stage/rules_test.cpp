// SPDX-License-Identifier: Apache-2.0
// The attribution table: well formed, right on names picked by hand, and in agreement with the sample names.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/rule_set.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

const StageRule* rule_for(const std::string& name, RuleKind kind = RuleKind::kKernel) {
  return RuleSet::builtin().first_match(kind, name);
}
Stage stage_of(const std::string& name) {
  const StageRule* rule = rule_for(name);
  return rule ? leading_stage(rule->stages) : Stage::kUNATTRIBUTED;
}
bool is_communication(const std::string& name) {
  return kCommunicationStages.contains(stage_of(name));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace

TEST_CASE("every rule compiles, names a stage, a framework and where it was seen, and differs from every other") {
  std::set<std::pair<RuleKind, std::string>> seen;
  int last = 0;
  for (const StageRule& rule : builtin_rules()) {
    INFO(rule.pattern);
    CHECK_NOTHROW(NamePattern(rule.pattern));
    CHECK(rule.stages.bits() != 0);
    CHECK_FALSE(rule.framework.empty());
    CHECK((rule.provenance == "trace" || rule.provenance == "source" || rule.provenance == "unverified"));
    CHECK(rule.priority >= last);
    last = rule.priority;
    CHECK(seen.insert({rule.kind, rule.pattern}).second);
    CHECK_FALSE(NamePattern(rule.pattern).found_in(""));
  }
  CHECK(builtin_rules().size() > 300);
}

TEST_CASE("names that carry the words of communication and are not") {
  for (const char* name : {
           "void flash::FlashAttnFwdCombine<float, 64, 5, 256, 1, false>(flash::Flash_fwd_params)",
           "void flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<64>, 4, 4, true>(Flash_fwd_params)",
           "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<int*, int*>::Policy>(int*)",
           "_combined_routing_compute",
           "void at::native::elementwise_kernel<128, 4, at::native::dispatch_combine_lambda>(int)",
           "void dpsk::grouped_gemm::cuda::fp8_ptp128c::GemmKernel(int)",
           "void transformer_engine::dispatch::mxfp8::quantize_mxfp8_kernel<true>(int)",
           "mega_moe_pre_dispatch_kernel",
           "fused_moe_dispatch_index_triton_kernel",
       }) {
    INFO(name);
    CHECK_FALSE(is_communication(name));
  }
}

TEST_CASE("communication without nccl in its name, and its parts") {
  const auto part_of = [](const char* name) { return rule_for(name)->part; };
  CHECK(stage_of("void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*)") == Stage::kDISPATCH);
  CHECK(stage_of("void deep_ep::legacy::internode_ll::combine<3, 10, 7168, 9>(void*)") == Stage::kCOMBINE);
  CHECK(stage_of("void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*)") == Stage::kDISPATCH);
  CHECK(part_of("void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*)") == Part::kMETA);
  CHECK(part_of("void deep_ep::intranode::notify_dispatch<8>(int const*)") == Part::kSYNC);
  CHECK(part_of("void deep_ep::intranode::cached_notify_combine<8>(void**)") == Part::kSYNC);
  CHECK(part_of("void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)") == Part::kPAYLOAD);
  CHECK(rule_for("void deep_ep::internode::dispatch<false, 8, true, 8>(int4*)")->pass == Pass::kBACKWARD);
  CHECK(rule_for("void deep_ep::internode::dispatch<(bool)0, (int)8, (bool)0, (int)8>(int4 *)")->pass ==
        Pass::kFORWARD);
  CHECK(stage_of("void vllm::cross_device_reduce_2stage<__half, 8>(int)") == Stage::kALLREDUCE);
  CHECK(stage_of("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)") == Stage::kSENDRECV);
  CHECK(stage_of("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)") == Stage::kALLREDUCE);
  CHECK(stage_of("void tensorrt_llm::kernels::moe_alltoall::moeA2ACombineKernel<8>(int)") == Stage::kCOMBINE);
}

TEST_CASE("a grouped GEMM fused with communication is not called communication; permuting on the way is") {
  CHECK(leading_stage(StageSet(Stage::kDISPATCH) | Stage::kL1 | Stage::kACT | Stage::kL2 | Stage::kCOMBINE) ==
        Stage::kL1);
  CHECK(leading_stage(StageSet(Stage::kL2) | Stage::kCOMBINE) == Stage::kL2);
  CHECK(leading_stage(StageSet(Stage::kCOMBINE) | Stage::kUNPERMUTE) == Stage::kCOMBINE);
  CHECK(leading_stage({}) == Stage::kUNATTRIBUTED);
  const StageRule* mega = rule_for("void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192, 7168, 3072>(int*)");
  REQUIRE(mega);
  CHECK(mega->stages.contains(Stage::kDISPATCH));
  CHECK(mega->stages.contains(Stage::kL2));
}

TEST_CASE("mangled names are read too, and odd ones kept as they are") {
  CHECK(readable_kernel_name("_Z3addPii") == "add(int*, int)");
  CHECK(readable_kernel_name("_Zbroken") == "_Zbroken");
  CHECK(readable_kernel_name("triton_kernel") == "triton_kernel");
  CHECK(stage_of(readable_kernel_name("_ZN7deep_ep12internode_ll8dispatchILb1ELi3ELi10ELi7168EEEvPv")) ==
        Stage::kDISPATCH);
  const std::string long_name = "_Z" + std::string(100'000, 'N');
  CHECK(readable_kernel_name(long_name) == long_name);
}

TEST_CASE("the table agrees with the sample names") {
  const auto path =
      std::filesystem::path(MOESCOPE_SOURCE_DIR).parent_path() / "shared" / "facts" / "kernel_names_samples.tsv";
  if (!std::filesystem::exists(path)) MOESCOPE_SKIP("no ../shared/facts beside the source");
  const std::map<std::string, RuleKind> kinds = {{"kernel", RuleKind::kKernel},
                                                 {"nvtx", RuleKind::kRange},
                                                 {"nccl", RuleKind::kCollective},
                                                 {"memcpy", RuleKind::kCopy}};
  // Where we name the physical operation (a barrier, send and receive, an all-to-all outside the MoE layer, a copy),
  // the samples say "other" or what it usually serves. By the sample's number; nothing else may differ.
  const std::map<std::string, std::string> deliberate = {
      {"228", "collective"}, {"326", "alltoall"},   {"327", "other"},      {"383", "collective"},
      {"430", "collective"}, {"432", "collective"}, {"433", "collective"}, {"436", "collective"},
      {"460", "collective"}, {"494", "sendrecv"},   {"505", "collective"}, {"569", "sendrecv"},
      {"570", "memcpy"},     {"571", "memcpy"},     {"572", "memcpy"},     {"594", "sendrecv"}};
  std::size_t all = 0, wrong_direction = 0;
  std::string wrong;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const auto field = split(line, '\t');
    REQUIRE(field.size() >= 7);
    ++all;
    const StageRule* rule = rule_for(field[3], kinds.at(field[1]));
    std::set<std::string> ours;
    for (int i = 0; i < kStageCount; ++i) {
      const auto stage = static_cast<Stage>(i);
      if (rule && (rule->stages.contains(stage) || rule->candidates.contains(stage)))
        ours.insert(std::string(name(stage)));
    }
    if (ours.empty()) ours.insert("other");
    bool agrees = false;
    for (const std::string& expected : split(field[4], '|')) {
      agrees = agrees || ours.count(expected) > 0;
      if (expected == "fused") agrees = agrees || (rule && !rule->stages.single());
    }
    const auto known = deliberate.find(field[0]);
    if (known != deliberate.end())
      CHECK(ours.count(known->second) > 0);
    else if (!agrees)
      wrong += field[0] + " " + field[3].substr(0, 100) + ": " + field[4] + " but " + *ours.begin() + "\n";
    const Pass pass = rule ? rule->pass : Pass::kUNKNOWN;
    if ((field[5] == "fwd" && pass == Pass::kBACKWARD) || (field[5] == "bwd" && pass == Pass::kFORWARD))
      ++wrong_direction;
  }
  INFO(wrong);
  CHECK(all > 500);
  CHECK(wrong_direction == 0);
  CHECK(wrong == "");
}
