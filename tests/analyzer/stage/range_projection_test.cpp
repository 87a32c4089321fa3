// SPDX-License-Identifier: Apache-2.0
// Which range work belongs to, through launches, graphs, threads and the backward pass.
#include <random>

#include "analyzer/stage/attribution.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

class Scene {
 public:
  Scene() : clock_(builder_.clock({})) {
    main = track(TrackKind::kHOST_THREAD, -1);
    autograd = track(TrackKind::kHOST_THREAD, -1);
    stream = track(TrackKind::kGPU_STREAM, 0);
    second_stream = track(TrackKind::kGPU_STREAM, 0);
  }
  TrackId track(TrackKind kind, std::int32_t device) {
    Track t;
    t.rank = RankId(0);
    t.kind = kind;
    t.device = device;
    t.clock = clock_;
    return builder_.track(t);
  }
  void add(TrackId on, const std::string& name, Ns start, Ns end, SpanKind kind, std::int64_t correlation = 0,
           Context context = {}) {
    context.kind = kind;
    builder_.span(start, end - start, on, builder_.name(name), builder_.context(context), correlation);
  }
  void range(TrackId on, const char* name, Ns start, Ns end) { add(on, name, start, end, SpanKind::kRANGE); }
  void op(TrackId on, const char* name, Ns start, Ns end, std::int64_t sequence, bool backward = false) {
    Context context;
    context.flags = kContextOperator;
    if (backward) context.pass = Pass::kBACKWARD;
    add(on, name, start, end, SpanKind::kRANGE, sequence < 0 ? 0 : sequence_as_correlation(sequence), context);
  }
  void launch(TrackId on, const char* kernel, Ns at, Ns runs, TrackId where, std::int64_t correlation) {
    add(on, "cudaLaunchKernel", at, at + 1, SpanKind::kRUNTIME, correlation);
    add(where, kernel, runs, runs + 10, SpanKind::kKERNEL, correlation);
  }
  void finish() {
    trace = builder_.finish();
    attribution = attribute(trace);
  }
  std::size_t row(std::string_view name) const {
    for (std::size_t i = 0; i < trace.spans.size(); ++i)
      if (trace.name_of(i) == name) return i;
    FAIL("no span named " << name);
    return 0;
  }
  std::string range_of(std::string_view name) const {
    const std::int32_t id = attribution.annotation[row(name)];
    return id < 0 ? "" : trace.names[static_cast<std::size_t>(id)];
  }
  const Place& place(std::string_view name) const { return attribution.structure.at(row(name)); }
  Pass pass(std::string_view name) const { return attribution.pass[row(name)]; }

  TrackId main, autograd, stream, second_stream;
  Trace trace;
  Attribution attribution;

 private:
  TraceBuilder builder_;
  ClockId clock_;
};

}  // namespace

TEST_CASE("layer, micro-batch and pass come from the nearest range outwards that says them") {
  Scene scene;
  scene.range(scene.main, "[F] mb 2", 0, 100);
  scene.range(scene.main, "layer_7", 10, 50);
  scene.range(scene.main, "mlp", 20, 30);
  scene.launch(scene.main, "in_mlp", 25, 1000, scene.stream, 1);
  scene.launch(scene.main, "in_layer", 40, 1100, scene.second_stream, 2);
  scene.launch(scene.main, "in_batch", 60, 1200, scene.stream, 3);
  scene.launch(scene.main, "in_none", 200, 1300, scene.stream, 4);
  scene.finish();
  CHECK(scene.range_of("in_mlp") == "mlp");
  CHECK(scene.place("in_mlp") == Place{{}, LayerId(7), MicroBatchId(2), {}});
  CHECK(scene.place("in_layer") == Place{{}, LayerId(7), MicroBatchId(2), {}});
  CHECK(scene.place("in_batch") == Place{{}, {}, MicroBatchId(2), {}});
  CHECK(scene.place("in_none") == Place{});
  CHECK(scene.pass("in_mlp") == Pass::kFORWARD);
  CHECK(scene.pass("in_none") == Pass::kUNKNOWN);
}

TEST_CASE("all kernels of a graph take the range of its launch") {
  Scene scene;
  scene.range(scene.main, "layer_1 decode", 0, 100);
  scene.add(scene.main, "cudaGraphLaunch", 50, 60, SpanKind::kRUNTIME, 9);
  scene.range(scene.main, "sampling", 100, 200);
  for (int i = 0; i < 4; ++i)
    scene.add(i % 2 ? scene.stream : scene.second_stream, "graph_kernel_" + std::to_string(i), 110 + 10 * i,
              118 + 10 * i, SpanKind::kKERNEL, 9);
  scene.finish();
  for (int i = 0; i < 4; ++i) {
    CHECK(scene.range_of("graph_kernel_" + std::to_string(i)) == "layer_1 decode");
    CHECK(scene.place("graph_kernel_" + std::to_string(i)).layer == LayerId(1));
  }
}

TEST_CASE("backward work takes the range of its forward operator") {
  Scene scene;
  scene.range(scene.main, "layer_3", 0, 100);
  scene.op(scene.main, "aten::linear", 10, 40, 77);
  scene.op(scene.main, "aten::addmm", 15, 30, 77);
  scene.launch(scene.main, "forward_gemm", 20, 500, scene.stream, 1);
  scene.range(scene.main, "layer_4", 100, 200);
  scene.op(scene.main, "aten::mul", 110, 120, 78);
  scene.range(scene.main, "loss.backward", 300, 400);
  scene.op(scene.autograd, "MulBackward0", 310, 320, 78, true);
  scene.launch(scene.autograd, "mul_backward", 315, 600, scene.stream, 2);
  scene.op(scene.autograd, "autograd::engine::evaluate_function: AddmmBackward0", 330, 380, 77, true);
  scene.op(scene.autograd, "AddmmBackward0", 331, 370, 77, true);
  scene.op(scene.autograd, "aten::mm", 340, 360, -1);  // nested, and says nothing itself
  scene.launch(scene.autograd, "gemm_backward", 350, 700, scene.stream, 3);
  scene.op(scene.autograd, "OtherBackward0", 385, 395, 1234, true);  // its forward was not recorded
  scene.launch(scene.autograd, "other_backward", 390, 800, scene.stream, 4);
  scene.launch(scene.main, "after", 450, 900, scene.stream, 5);
  scene.finish();
  CHECK(scene.place("forward_gemm").layer == LayerId(3));
  CHECK(scene.pass("forward_gemm") == Pass::kUNKNOWN);
  CHECK(scene.range_of("mul_backward") == "layer_4");
  CHECK(scene.place("mul_backward").layer == LayerId(4));
  CHECK(scene.pass("mul_backward") == Pass::kBACKWARD);
  CHECK(scene.range_of("gemm_backward") == "layer_3");
  CHECK(scene.pass("gemm_backward") == Pass::kBACKWARD);
  CHECK(scene.range_of("other_backward") == "loss.backward");  // open on the thread that called for it
  CHECK(scene.pass("other_backward") == Pass::kBACKWARD);
  CHECK(scene.pass("after") == Pass::kUNKNOWN);
}

TEST_CASE("a range of the thread itself stays, and so does a pass it names") {
  Scene scene;
  scene.range(scene.main, "layer_3 fwd", 0, 100);
  scene.op(scene.main, "aten::mul", 10, 20, 5);
  scene.launch(scene.main, "k_forward", 15, 500, scene.stream, 1);
  scene.range(scene.autograd, "mlp wgrad", 200, 300);
  scene.op(scene.autograd, "MulBackward0", 210, 220, 5, true);
  scene.launch(scene.autograd, "k_own", 215, 600, scene.stream, 2);
  scene.finish();
  CHECK(scene.range_of("k_own") == "mlp wgrad");
  CHECK(scene.pass("k_own") != Pass::kFORWARD);
  CHECK(scene.pass("k_forward") == Pass::kFORWARD);
}

TEST_CASE("a thread with ranges of its own business lends none to others") {
  Scene scene;
  scene.range(scene.autograd, "load next batch", 0, 100);
  scene.launch(scene.main, "k", 50, 500, scene.stream, 1);
  scene.finish();
  CHECK(scene.range_of("k").empty());
}

TEST_CASE("ranges that cross: the latest begun that is still open, and what it lies in then") {
  Scene scene;
  scene.range(scene.main, "layer_1", 0, 50);
  scene.range(scene.main, "mb 4", 20, 80);
  scene.launch(scene.main, "both", 30, 500, scene.stream, 1);
  scene.launch(scene.main, "second", 60, 600, scene.stream, 2);
  scene.launch(scene.main, "none", 90, 700, scene.stream, 3);
  scene.finish();
  CHECK(scene.place("both") == Place{{}, LayerId(1), MicroBatchId(4), {}});
  CHECK(scene.place("second") == Place{{}, {}, MicroBatchId(4), {}});
  CHECK(scene.place("none") == Place{});
}

// Against a straight search over all ranges.
TEST_CASE("random ranges: innermost by brute force") {
  std::mt19937 random(8);
  for (int round = 0; round < 40; ++round) {
    Scene scene;
    struct Made {
      Ns start, end;
      int number;
    };
    std::vector<Made> ranges;
    for (int i = 0; i < 60; ++i) {
      const Ns start = static_cast<Ns>(i * 20 + random() % 10);
      const Ns end = start + 1 + static_cast<Ns>(random() % 200);
      ranges.push_back({start, end, i});
      scene.range(scene.main, ("r" + std::to_string(i)).c_str(), start, end);
    }
    std::vector<std::pair<std::string, Ns>> kernels;
    for (int i = 0; i < 80; ++i) {
      const Ns at = static_cast<Ns>(random() % 1400) * 10 / 10;
      kernels.emplace_back("k" + std::to_string(i), at);
      scene.launch(scene.main, kernels.back().first.c_str(), at, 2000 + 20 * i, scene.stream, i + 1);
    }
    scene.finish();
    for (const auto& [kernel, at] : kernels) {
      std::string want;
      bool tie = false;
      for (const Made& one : ranges)
        if (one.start <= at && at < one.end) want = "r" + std::to_string(one.number), tie = one.start == at;
      if (!tie) CHECK(scene.range_of(kernel) == want);  // begun at one instant: either order
    }
  }
}

TEST_CASE("steps named by ranges: device work belongs to the one it was launched in") {
  Scene scene;
  for (int step = 0; step < 3; ++step) {
    const Ns at = 1000 * step;
    scene.range(scene.main, step == 1 ? "step[EXTEND bs=15 toks=15360]" : "step[DECODE bs=4]", at, at + 500);
    scene.launch(scene.main, ("k" + std::to_string(step)).c_str(), at + 100, at + 600, scene.stream, step + 1);
  }
  scene.launch(scene.main, "outside", 700, 750, scene.stream, 9);
  scene.finish();
  const Structure& structure = scene.attribution.structure;
  CHECK(structure.step_fact.origin == Origin::kMarked);
  REQUIRE(structure.steps.size() == 3);
  CHECK(structure.steps[0].kind == StepKind::kDECODE);
  CHECK(structure.steps[1].kind == StepKind::kPREFILL);
  for (int step = 0; step < 3; ++step) CHECK(scene.place("k" + std::to_string(step)).step == StepId(step));
  CHECK_FALSE(scene.place("outside").step.valid());
}
