// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/attribution.h"

#include "analyzer/stage/rule_file.h"
#include "analyzer/stage/rule_set.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

// A rank's host thread, an execution lane and a GPU stream, filled by hand.
class Scene {
 public:
  Scene() {
    const ClockId clock = builder_.clock({});
    const auto track = [&](TrackKind kind, std::int32_t device) {
      Track t;
      t.rank = RankId(0);
      t.kind = kind;
      t.device = device;
      t.clock = clock;
      return builder_.track(t);
    };
    host = track(TrackKind::kHOST_THREAD, -1);
    other_host = track(TrackKind::kHOST_THREAD, -1);
    stream = track(TrackKind::kGPU_STREAM, 0);
    lane = track(TrackKind::kEXECUTION, 1);
  }
  void add(TrackId track, const char* name, Ns start, Ns end, SpanKind kind, std::int64_t correlation = 0,
           Context context = {}) {
    context.kind = kind;
    builder_.span(start, end - start, track, builder_.name(name), builder_.context(context), correlation);
  }
  void range(const char* name, Ns start, Ns end, Context context = {}) {
    add(host, name, start, end, SpanKind::kRANGE, 0, context);
  }
  void kernel(const char* name, Ns launched, Ns start, Ns end, std::int64_t correlation) {
    add(host, "cudaLaunchKernel", launched, launched + 1, SpanKind::kRUNTIME, correlation);
    add(stream, name, start, end, SpanKind::kKERNEL, correlation);
  }
  void finish(const RuleSet& rules = RuleSet::builtin()) {
    trace = builder_.finish();
    attribution = attribute(trace, rules);
  }
  std::size_t row(std::string_view name) const {
    for (std::size_t i = 0; i < trace.spans.size(); ++i)
      if (trace.name_of(i) == name) return i;
    FAIL("no span named " << name);
    return 0;
  }
  std::string annotation(std::string_view name) const {
    const auto id = attribution.annotation[row(name)];
    return id < 0 ? "" : trace.names[static_cast<std::size_t>(id)];
  }

  TrackId host, other_host, stream, lane;
  Trace trace;
  Attribution attribution;

 private:
  TraceBuilder builder_;
};

constexpr const char* kCombineKernel = "void deep_ep::internode::combine<false, 8, __nv_bfloat16>(int4*)";
constexpr const char* kGroupedGemm = "void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)";
constexpr const char* kActivation = "act_and_mul_kernel";

}  // namespace

TEST_CASE("the annotation is the innermost user range at the launch, on the launching thread") {
  Scene scene;
  scene.range("outer", 0, 100);
  scene.range("inner", 10, 20);
  Context operator_range;
  operator_range.flags = kContextOperator;
  scene.range("aten::mm", 12, 19, operator_range);
  scene.range("ProfilerStep#3", 0, 200);
  scene.kernel("k_inner", 15, 500, 510, 1);
  scene.kernel("k_outer", 20, 520, 530, 2);  // inner has ended: intervals are half-open
  scene.kernel("k_step", 150, 540, 550, 3);
  scene.add(scene.other_host, "cuLaunchKernel", 15, 16, SpanKind::kRUNTIME, 4);
  scene.add(scene.stream, "k_other_thread", 560, 570, SpanKind::kKERNEL, 4);
  scene.add(scene.stream, "k_no_launch", 580, 590, SpanKind::kKERNEL, 99);
  scene.finish();
  CHECK(scene.annotation("k_inner") == "inner");
  CHECK(scene.annotation("k_outer") == "outer");
  CHECK(scene.annotation("k_step").empty());
  CHECK(scene.annotation("k_other_thread").empty());
  CHECK(scene.annotation("k_no_launch").empty());
}

TEST_CASE("role and pass come from the range: dispatch's backward runs the combine kernel") {
  Scene scene;
  scene.range("dispatch(B)", 0, 10);
  scene.kernel(kCombineKernel, 5, 100, 110, 1);
  scene.range("mlp(W)", 20, 30);
  scene.kernel("wgrad_kernel_of_no_rule", 25, 120, 130, 2);
  scene.range("attn(F)", 40, 50);
  scene.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", 45, 140, 150, 3);
  scene.kernel("norm_kernel_of_no_rule", 47, 160, 170, 4);
  scene.finish();
  const Attribution& a = scene.attribution;
  const std::size_t combine = scene.row(kCombineKernel);
  CHECK(a.stage[combine] == Stage::kCOMBINE);
  CHECK(a.role[combine] == Stage::kDISPATCH);
  CHECK(a.pass[combine] == Pass::kBACKWARD);
  CHECK(a.activity[combine] == ActivityClass::kCommunication);
  CHECK(a.pass[scene.row("wgrad_kernel_of_no_rule")] == Pass::kBACKWARD_WEIGHT);
  CHECK(a.stage[scene.row("wgrad_kernel_of_no_rule")] == Stage::kUNATTRIBUTED);
  CHECK(a.activity[scene.row("wgrad_kernel_of_no_rule")] == ActivityClass::kCompute);
  const std::size_t allreduce = scene.row("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)");
  CHECK(a.role[allreduce] == Stage::kALLREDUCE);  // tensor parallelism inside attention is still an allreduce
  CHECK(a.role[scene.row("norm_kernel_of_no_rule")] == Stage::kATTENTION);
  CHECK(a.stage[scene.row("norm_kernel_of_no_rule")] == Stage::kUNATTRIBUTED);
  CHECK(a.activity[scene.row("cudaLaunchKernel")] == ActivityClass::kNone);
}

TEST_CASE("what the record says itself wins over names and ranges") {
  Scene scene;
  Context said;
  said.stage = Stage::kL1;
  said.role = Stage::kSHARED_EXPERT;
  said.part = Part::kEPILOGUE;
  said.pass = Pass::kRECOMPUTE;
  scene.add(scene.lane, "combine", 0, 10, SpanKind::kWORK, 0, said);
  scene.add(scene.lane, kCombineKernel, 20, 30, SpanKind::kKERNEL, 0, said);
  scene.finish();
  for (const char* name : {"combine", kCombineKernel}) {
    const std::size_t row = scene.row(name);
    CHECK(scene.attribution.stage[row] == Stage::kL1);
    CHECK(scene.attribution.role[row] == Stage::kSHARED_EXPERT);
    CHECK(scene.attribution.part[row] == Part::kEPILOGUE);
    CHECK(scene.attribution.pass[row] == Pass::kRECOMPUTE);
    CHECK(scene.attribution.activity[row] == ActivityClass::kCompute);
  }
}

TEST_CASE("on an execution lane without correlation the range around the work counts") {
  Scene scene;
  scene.add(scene.lane, "combine(F)", 0, 100, SpanKind::kRANGE);
  scene.add(scene.lane, "custom_all_to_all", 10, 20, SpanKind::kWORK, 0, [] {
    Context c;
    c.stage = Stage::kALLTOALL;
    return c;
  }());
  scene.finish();
  const std::size_t row = scene.row("custom_all_to_all");
  CHECK(scene.annotation("custom_all_to_all") == "combine(F)");
  CHECK(scene.attribution.role[row] == Stage::kCOMBINE);
  CHECK(scene.attribution.pass[row] == Pass::kFORWARD);
  CHECK(scene.attribution.activity[scene.row("combine(F)")] == ActivityClass::kNone);
}

TEST_CASE("grouped GEMMs of one name: L1 before the activation and L2 behind it, backward the other way") {
  Scene scene;
  std::int64_t correlation = 0;
  Ns at = 1000;
  const auto run = [&](const char* range, std::initializer_list<const char*> kernels) {
    scene.range(range, at, at + 100);
    for (const char* name : kernels) {
      ++correlation;
      scene.kernel(name, at + correlation % 50, at, at + 5, correlation);
      at += 10;
    }
    at += 200;
  };
  run("dispatch(F)", {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)"});
  run("mlp(F)", {kGroupedGemm, kActivation, kGroupedGemm});
  run("combine(F)", {kCombineKernel});
  run("mlp(B)", {kGroupedGemm, kActivation, kGroupedGemm});
  scene.finish();
  std::vector<Stage> gemms;
  for (std::size_t row = 0; row < scene.trace.spans.size(); ++row)
    if (scene.trace.name_of(row) == kGroupedGemm) gemms.push_back(scene.attribution.stage[row]);
  CHECK(gemms == std::vector<Stage>{Stage::kL1, Stage::kL2, Stage::kL2, Stage::kL1});
}

TEST_CASE("a dense GEMM of just the experts' sizes is the shared expert's") {
  const auto gemm = [](const char* size, int type) {
    return std::string("void deep_gemm::fp8_gemm_kernel<") + size +
           ", 64u, 160u, 128u, 1u, 4u, 128u, 128u, 1u, true, (deep_gemm::GemmType)" + std::to_string(type) + ">(int)";
  };
  const std::string shared = gemm("4096u, 7168u", 0), attention = gemm("7168u, 16384u", 0);
  const auto stage_of_shared = [&](std::initializer_list<std::string> grouped) {
    Scene scene;
    Ns at = 0;
    for (const std::string& name : grouped)
      scene.add(scene.stream, name.c_str(), at, at + 5, SpanKind::kKERNEL), at += 10;
    scene.add(scene.stream, shared.c_str(), at, at + 5, SpanKind::kKERNEL);
    scene.add(scene.stream, attention.c_str(), at + 10, at + 15, SpanKind::kKERNEL);
    scene.finish();
    CHECK(scene.attribution.stage[scene.row(attention)] == Stage::kOTHER);
    return scene.attribution.stage[scene.row(shared)];
  };
  CHECK(stage_of_shared({gemm("4096u, 7168u", 2), gemm("7168u, 2048u", 2)}) == Stage::kSHARED_EXPERT);
  CHECK(stage_of_shared({}) == Stage::kOTHER);
  CHECK(stage_of_shared({gemm("4096u, 7168u", 2)}) == Stage::kOTHER);  // one size may be chance
  CHECK(stage_of_shared({gemm("4096u, 7168u", 2), gemm("3072u, 1536u", 2)}) == Stage::kOTHER);  // not two projections
}

TEST_CASE("kernels whose names go forward, with nothing that goes back: all of the rank goes forward") {
  const auto passes = [](const char* last, SpanKind kind, Context context) {
    Scene scene;
    scene.kernel("dispatch_kernel", 0, 10, 20, 1);
    scene.kernel("_silu_and_mul_post_quant_kernel", 2, 30, 40, 2);
    scene.add(scene.host, last, 60, 70, kind, 0, context);
    scene.finish();
    REQUIRE(scene.attribution.pass[scene.row("_silu_and_mul_post_quant_kernel")] == Pass::kFORWARD);
    return scene.attribution.pass[scene.row("dispatch_kernel")];
  };
  CHECK(passes("anything", SpanKind::kRANGE, {}) == Pass::kFORWARD);
  // An operator of autograd's goes back: which of the two dispatch belongs to is not known.
  Context back;
  back.flags = kContextOperator;
  back.pass = Pass::kBACKWARD;
  CHECK(passes("MulBackward0", SpanKind::kRANGE, back) == Pass::kUNKNOWN);
  // Where passes are marked, what lies outside the marks is in none.
  Context marked;
  marked.pass = Pass::kFORWARD;
  CHECK(passes("forward pass", SpanKind::kRANGE, marked) == Pass::kUNKNOWN);
}

TEST_CASE("a fused kernel keeps all its stages, and is compute") {
  Scene scene;
  const char* const mega = "void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192, 7168, 3072>(int*)";
  scene.add(scene.stream, mega, 0, 10, SpanKind::kKERNEL);
  scene.finish();
  CHECK(scene.attribution.activity[0] == ActivityClass::kCompute);
  CHECK(scene.attribution.stages[0].contains(Stage::kCOMBINE));
  CHECK(scene.attribution.stages[0].contains(Stage::kL1));
}

TEST_CASE("the attributed fraction is by time, each device's union") {
  Scene scene;
  scene.add(scene.stream, kCombineKernel, 0, 60, SpanKind::kKERNEL);
  scene.add(scene.stream, kCombineKernel, 30, 60, SpanKind::kKERNEL);
  scene.add(scene.stream, "a_kernel_of_no_rule", 60, 100, SpanKind::kKERNEL);
  scene.add(scene.lane, "another_of_no_rule", 0, 100, SpanKind::kKERNEL);
  scene.finish();
  REQUIRE(scene.attribution.attributed_fraction);
  CHECK(*scene.attribution.attributed_fraction == Approx(60.0 / 200));
}

TEST_CASE("a trace without device work has no attributed fraction") {
  Scene scene;
  scene.range("alone", 0, 10);
  scene.finish();
  CHECK_FALSE(scene.attribution.attributed_fraction);
  CHECK(scene.attribution.attributed_fraction.reason() == "no GPU or execution records");
  CHECK(attribute(Trace{}).stage.empty());
}

TEST_CASE("rules of the user's decide, and each says how many names it decided") {
  const auto user = std::make_shared<UserRules>();
  parse_stage_rules(
      "kernel /^ours_\\d$/ l1\n"
      "kernel /internode::combine/ allreduce\n"
      "kernel /ours_1/ l2\n"
      "range /^block$/ combine\n",
      "my.rules", *user);
  Scene scene;
  scene.range("block", 0, 10);
  scene.add(scene.stream, "ours_1", 0, 10, SpanKind::kKERNEL);
  scene.add(scene.stream, "ours_2", 10, 20, SpanKind::kKERNEL);
  scene.add(scene.stream, "ours_2", 20, 30, SpanKind::kKERNEL);
  scene.add(scene.stream, kCombineKernel, 30, 40, SpanKind::kKERNEL);
  scene.finish(RuleSet(user));
  CHECK(scene.attribution.stage[scene.row("ours_2")] == Stage::kL1);
  CHECK(scene.attribution.stage[scene.row(kCombineKernel)] == Stage::kALLREDUCE);
  const auto& uses = scene.attribution.user_rules;
  REQUIRE(uses.size() == 4);
  CHECK(uses[0].place == "my.rules:1");
  CHECK(uses[0].pattern == "^ours_\\d$");
  CHECK(uses[0].names == 2);
  CHECK(uses[1].names == 1);
  CHECK(uses[2].names == 0);  // hidden behind the first
  CHECK(uses[3].names == 1);
}
