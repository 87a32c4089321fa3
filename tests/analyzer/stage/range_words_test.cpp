// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/range_words.h"

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("words of range names") {
  struct Row {
    const char* name;
    int layer = -1, micro_batch = -1;
    Pass pass = Pass::kUNKNOWN;
    bool step = false;
    int number = -1;
    StepKind kind = StepKind::kUNKNOWN;
  };
  const Row row = GENERATE(values<Row>({
      {"layer_12", 12},
      {"moe.layers.3", 3},
      {"{'Module': 'model.layers.3.mlp.experts', 'Inputs': []}", 3},
      {"layer_3f", 3, -1, Pass::kFORWARD},
      {"layer_2b", 2, -1, Pass::kBACKWARD},
      {"layer_3f-layer_2b"},  // two layers and both passes
      {"[F] mb 2", -1, 2, Pass::kFORWARD},
      {"dispatch F", -1, -1, Pass::kFORWARD},
      {"mlp(B)", -1, -1, Pass::kBACKWARD},
      {"attn(W)", -1, -1, Pass::kBACKWARD_WEIGHT},
      {"micro batch 4", -1, 4},
      {"microbatch_4 layer 1", 1, 4},
      {"MicroBatch3", -1, 3},
      {"ubatch1", -1, 1},
      {"moe_dispatch forward", -1, -1, Pass::kFORWARD},
      {"## backward ##", -1, -1, Pass::kBACKWARD},
      {"forward_backward_func"},
      {"ProfilerStep#5", -1, -1, Pass::kUNKNOWN, true, 5},
      {"train iteration 17", -1, -1, Pass::kUNKNOWN, true, 17},
      {"step[DECODE bs=4]", -1, -1, Pass::kUNKNOWN, true, -1, StepKind::kDECODE},
      {"step[EXTEND bs=15 toks=15360]", -1, -1, Pass::kUNKNOWN, true, -1, StepKind::kPREFILL},
      {"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)", -1, -1, Pass::kUNKNOWN, true,
       -1, StepKind::kDECODE},
      {"execute_15360_context_15(sq15360)_generation_0(sq0)", -1, -1, Pass::kUNKNOWN, true, -1, StepKind::kPREFILL},
      {"execute_40_context_2(sq8)_generation_32(sq32)", -1, -1, Pass::kUNKNOWN, true, -1, StepKind::kMIXED},
      {"Optimizer.step#SGD.step"},
      {"layer_norm_3"},
      {"layernorm 3"},
      {"multi_layer"},
      {"Buffer"},  // no F of its own
      {"layer 99999999999999999999"},
      {"", -1},
  }));
  INFO(row.name);
  const RangeWords says = range_words(row.name);
  CHECK(says.layer == row.layer);
  CHECK(says.micro_batch == row.micro_batch);
  CHECK(says.pass == row.pass);
  CHECK(says.step == row.step);
  CHECK(says.step_number == row.number);
  CHECK(says.step_kind == row.kind);
}
