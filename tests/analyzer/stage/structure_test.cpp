// SPDX-License-Identifier: Apache-2.0
// Layers, micro-batches, waves and steps of made-up schedules: what is found must be what was built.
#include "analyzer/stage/structure.h"

#include <map>
#include <random>
#include <set>

#include "analyzer/stage/attribution.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

constexpr const char* kRouter = "grouped_topk_kernel";
constexpr const char* kDispatch = "void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*)";
constexpr const char* kCombine = "void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*)";
constexpr const char* kNotify = "void deep_ep::internode::notify_dispatch<false, 8>(int const*)";
constexpr const char* kGroupedGemm = "void deep_gemm::fp8_gemm_kernel<0u, 0u, (deep_gemm::GemmType)1>(int)";
constexpr const char* kActivation = "_silu_and_mul_post_quant_kernel";
constexpr const char* kAttention = "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits>(Flash_fwd_params)";

struct Truth {
  int step = -1, layer = -1, micro_batch = -1, wave = -1;
};

// One device with a compute and a communication stream.
class Maker {
 public:
  explicit Maker(std::uint32_t seed, std::int32_t rank = 0) : random_(seed) {
    const ClockId clock = builder_.clock({});
    for (int i = 0; i < 2; ++i) {
      Track track;
      track.rank = RankId(rank);
      track.kind = TrackKind::kGPU_STREAM;
      track.device = 0;
      track.clock = clock;
      track.stream = i;
      streams_[i] = builder_.track(track);
    }
  }
  void kernel(const char* name, const Truth& truth = {}, int stream = 0, Ns longest = 50) {
    Context context;
    context.kind = SpanKind::kKERNEL;
    const Ns duration = 5 + static_cast<Ns>(random_() % static_cast<unsigned>(longest));
    // Its start tells who it is, whatever order rows come in.
    builder_.span(now_, duration, streams_[stream], builder_.name(name), builder_.context(context));
    truth_[now_] = truth;
    now_ += duration + 1 + static_cast<Ns>(random_() % 3);
  }
  void pause(Ns length) { now_ += length; }
  unsigned random() { return static_cast<unsigned>(random_()); }
  Trace finish() { return builder_.finish(); }
  const Truth& truth(Ns start) const { return truth_.at(start); }

 private:
  std::mt19937 random_;
  TraceBuilder builder_;
  TrackId streams_[2];
  Ns now_ = 1000;
  std::map<Ns, Truth> truth_;
};

struct Shape {
  int steps = 1, layers = 8, micro_batches = 1, waves = 1, halves = 1, streams = 1;
  bool notify = false, chores = false;
};

void layer_start(Maker& maker, const Shape& shape, Truth at) {
  maker.kernel("attention_norm");
  maker.kernel(kAttention);
  maker.kernel(kRouter, at);
  (void)shape;
}

void experts(Maker& maker, Truth at) {
  maker.kernel(kGroupedGemm, at);
  maker.kernel(kActivation, at);
  maker.kernel(kGroupedGemm, at);
}

// Waves of one layer: all sent, then computed and returned one by one.
void waved_layer(Maker& maker, const Shape& shape, Truth at) {
  layer_start(maker, shape, {at.step, at.layer, -1, 0});
  const int stream = shape.streams - 1;
  const auto wave = [&](int w) { return Truth{at.step, at.layer, -1, shape.waves > 1 ? w : -1}; };
  for (int w = 0; w < shape.waves; ++w) {
    if (shape.notify) maker.kernel(kNotify, wave(w), stream);
    for (int h = 0; h < shape.halves; ++h) maker.kernel(kDispatch, wave(w), stream);
  }
  for (int w = 0; w < shape.waves; ++w) {
    experts(maker, wave(w));
    for (int h = 0; h < shape.halves; ++h) maker.kernel(kCombine, wave(w), stream);
  }
}

// Two micro-batches as two-batch overlap launches them: one's halves lie around the other's compute.
void overlapped_layer(Maker& maker, const Shape& shape, int step, int layer) {
  const Truth a{step, layer, 0, -1}, b{step, layer, 1, -1};
  layer_start(maker, shape, a);
  maker.kernel(kDispatch, a);
  maker.kernel("attention_norm");
  maker.kernel(kAttention);
  if (shape.halves == 2) maker.kernel(kDispatch, a);
  maker.kernel(kRouter, b);
  maker.kernel(kDispatch, b);
  experts(maker, a);
  if (shape.halves == 2) maker.kernel(kDispatch, b);
  maker.kernel(kCombine, a);
  experts(maker, b);
  if (shape.halves == 2) maker.kernel(kCombine, a);
  maker.kernel(kCombine, b);
  if (shape.halves == 2) maker.kernel(kCombine, b);
}

void build(Maker& maker, const Shape& shape) {
  for (int step = 0; step < shape.steps; ++step) {
    maker.pause(3000);
    maker.kernel("embedding_kernel");
    maker.kernel("rope_cache_kernel");
    for (int layer = 0; layer < shape.layers; ++layer) {
      if (shape.micro_batches == 2)
        overlapped_layer(maker, shape, step, layer);
      else
        waved_layer(maker, shape, {step, layer, -1, -1});
      if (shape.chores && maker.random() % 7 == 0) maker.kernel("attention_norm");  // now and then
    }
    for (const char* name :
         {"final_norm", "lm_head_gemm", "softmax_warp", "argmax_reduce", "copy_token", "update_lens"})
      maker.kernel(name);
  }
}

}  // namespace

TEST_CASE("steps, layers, micro-batches and waves of random schedules are found as they were built") {
  std::mt19937 random(11);
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    Shape shape;
    shape.steps = static_cast<int>(random() % 2 ? 1 : 4 + random() % 4);
    shape.layers = static_cast<int>(3 + random() % 20);
    shape.micro_batches = random() % 3 == 0 ? 2 : 1;
    shape.halves = static_cast<int>(1 + random() % 2);
    shape.waves = shape.micro_batches == 1 && shape.halves == 1 ? static_cast<int>(1 + random() % 4) : 1;
    shape.streams = static_cast<int>(1 + random() % 2);
    shape.notify = random() % 2 && shape.halves == 1;
    shape.chores = random() % 2;
    INFO("seed " << seed << ": steps " << shape.steps << ", layers " << shape.layers << ", micro-batches "
                 << shape.micro_batches << ", halves " << shape.halves << ", waves " << shape.waves << ", streams "
                 << shape.streams << ", notify " << shape.notify << ", chores " << shape.chores);
    Maker maker(seed);
    build(maker, shape);
    const Trace trace = maker.finish();
    const Attribution attribution = attribute(trace);
    const Structure& structure = attribution.structure;
    INFO("steps: " << structure.step_fact.evidence << "; layers: " << structure.layer_fact.evidence);
    REQUIRE(structure.layer_fact.origin == Origin::kFound);
    CHECK(structure.layer_fact.confidence > 0.99);
    CHECK((structure.micro_batch_fact.origin == Origin::kFound) == (shape.micro_batches == 2));
    CHECK((structure.wave_fact.origin == Origin::kFound) == (shape.waves > 1));
    CHECK((structure.step_fact.origin == Origin::kFound) == (shape.steps > 1));
    if (shape.steps > 1) {
      CHECK(structure.steps.size() == static_cast<std::size_t>(shape.steps));
      for (const Step& step : structure.steps) CHECK(step.ended);
    }
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < trace.spans.size(); ++row) {
      const Truth& truth = maker.truth(trace.spans.start[row]);
      const Place& place = structure.at(row);
      if (truth.layer < 0) {
        wrong += place.layer.valid();
        continue;
      }
      const bool router = attribution.stage[row] == Stage::kROUTER;  // it serves all waves
      wrong += place.layer.value != truth.layer || place.micro_batch.value != truth.micro_batch ||
               (!router && place.wave.value != truth.wave) || (shape.steps > 1 && place.step.value != truth.step);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a record that begins and ends within a layer still has its whole layers found") {
  Maker maker(5);
  Shape shape;
  maker.kernel(kGroupedGemm);
  maker.kernel(kCombine);
  for (int layer = 0; layer < 6; ++layer) waved_layer(maker, shape, {0, layer, -1, -1});
  maker.kernel(kRouter);
  maker.kernel(kDispatch);
  const Trace trace = maker.finish();
  const Attribution attribution = attribute(trace);
  CHECK(attribution.structure.layer_fact.origin == Origin::kFound);
  std::map<int, int> exchanges;
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (attribution.stage[row] == Stage::kCOMBINE) ++exchanges[attribution.structure.at(row).layer.value];
  CHECK(exchanges.size() == 7);  // six layers, and one combine of none
  CHECK(exchanges[-1] == 1);
}

TEST_CASE("exchanges in no order are not called layers, and work without a pattern no steps") {
  Maker maker(9);
  for (int i = 0; i < 400; ++i) {
    static const char* const kNames[] = {kDispatch,  kCombine,  kGroupedGemm, kActivation,
                                         kAttention, "other_a", "other_b"};
    maker.kernel(kNames[maker.random() % 7]);
  }
  const Trace trace = maker.finish();
  const Attribution attribution = attribute(trace);
  const Structure& structure = attribution.structure;
  CHECK(structure.step_fact.origin == Origin::kNone);
  CHECK(structure.layer_fact.origin == Origin::kNone);
  CHECK(structure.layer_fact.confidence < kLeastConfidence);
  CHECK(structure.layer_fact.evidence.find("confidence") != std::string::npos);
  CHECK(structure.steps.empty());
  for (std::size_t row = 0; row < trace.spans.size(); ++row) CHECK(structure.at(row) == Place{});
}

TEST_CASE("an all-to-all takes its role from the experts it stands before or behind") {
  constexpr const char* kAllToAll = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
  TraceBuilder builder;
  Track track;
  track.rank = RankId(0);
  track.kind = TrackKind::kGPU_STREAM;
  track.device = 0;
  track.clock = builder.clock({});
  const TrackId stream = builder.track(track);
  Ns now = 0;
  std::vector<Stage> roles;
  const auto add = [&](const char* name, Stage said, Stage role) {
    Context context;
    context.kind = SpanKind::kKERNEL;
    context.stage = said;
    builder.span(now, 9, stream, builder.name(name), builder.context(context));
    roles.push_back(role);
    now += 10;
  };
  for (int layer = 0; layer < 5; ++layer) {
    add(kRouter, Stage::kUNATTRIBUTED, Stage::kROUTER);
    add(kAllToAll, Stage::kALLTOALL, Stage::kDISPATCH);  // counts
    add(kAllToAll, Stage::kALLTOALL, Stage::kDISPATCH);
    add(kGroupedGemm, Stage::kUNATTRIBUTED, Stage::kL1);
    add(kActivation, Stage::kUNATTRIBUTED, Stage::kACT);
    add(kGroupedGemm, Stage::kUNATTRIBUTED, Stage::kL2);
    add(kAllToAll, Stage::kALLTOALL, Stage::kCOMBINE);
  }
  const Trace trace = builder.finish();
  const Attribution attribution = attribute(trace);
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    INFO(row);
    CHECK(attribution.role[row] == roles[row]);
    CHECK(attribution.structure.at(row).layer.value == static_cast<std::int32_t>(row / 7));
  }
}

TEST_CASE("a backward pass counts its layers down, and marks are left as they are") {
  TraceBuilder builder;
  Track track;
  track.rank = RankId(0);
  track.kind = TrackKind::kGPU_STREAM;
  track.device = 0;
  track.clock = builder.clock({});
  const TrackId stream = builder.track(track);
  Ns now = 0;
  std::vector<std::int32_t> layers;
  const auto add = [&](const char* name, Pass pass, std::int32_t layer, LayerId marked = {}) {
    Context context;
    context.kind = SpanKind::kKERNEL;
    context.pass = pass;
    context.layer = marked;
    builder.span(now, 9, stream, builder.name(name), builder.context(context));
    layers.push_back(layer);
    now += 10;
  };
  const auto schedule = [&](bool marks) {
    for (const Pass pass : {Pass::kFORWARD, Pass::kBACKWARD})
      for (int i = 0; i < 4; ++i) {
        const std::int32_t layer = marks ? 40 + i : pass == Pass::kFORWARD ? i : 3 - i;
        for (const char* name : {kDispatch, kGroupedGemm, kActivation, kGroupedGemm, kCombine})
          add(name, pass, layer, marks ? LayerId(layer) : LayerId());
      }
  };
  const bool marks = GENERATE(false, true);
  schedule(marks);
  const Trace trace = builder.finish();
  const Attribution attribution = attribute(trace);
  CHECK(attribution.structure.layer_fact.origin == (marks ? Origin::kMarked : Origin::kFound));
  for (std::size_t row = 0; row < trace.spans.size(); ++row) {
    INFO(row);
    CHECK(attribution.structure.at(row).layer.value == layers[row]);
  }
}
