// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/options.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace moescope::reference;

namespace {
Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "moescope-refmoe");
  return parse_command(static_cast<int>(arguments.size()), arguments.data());
}
// The line a refusal prints.
std::string refusal(std::vector<const char*> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}
bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("without options: a small wave job in virtual time") {
  const JobSpec spec = parse({}).spec;
  CHECK(spec.schedule_name == "wave");
  CHECK(spec.tiling.waves() == 4);
  CHECK(spec.clock == ClockKind::kVirtual);
  CHECK_FALSE(spec.computes());
  CHECK(spec.shape.ranks == 4);
}

TEST_CASE("options override the preset") {
  const JobSpec spec =
      parse({"--preset", "v4-pro", "--ranks", "16", "--layers", "2", "--tokens", "100", "--link", "400Gb/s", "--flops",
             "989T", "--combine-bytes", "1.0625", "--routing", "zipf:1", "--waves", "6"})
          .spec;
  CHECK(spec.shape.hidden == 7168);
  CHECK(spec.shape.intermediate == 3072);
  CHECK(spec.shape.ranks == 16);
  CHECK(spec.shape.layers == 2);
  CHECK(spec.cost.link_bytes_per_second == Approx(50e9));
  CHECK(spec.cost.flops_per_second == Approx(989e12));
  CHECK(spec.wire.dispatch_bytes == 1);
  CHECK(spec.wire.combine_bytes == 1.0625);
  CHECK(spec.tiling.waves() == 6);
}

TEST_CASE("the wire follows the dtype unless it is said") {
  CHECK(parse({"--dtype", "bf16"}).spec.wire.dispatch_bytes == 2);
  CHECK(parse({"--dtype", "bf16", "--dispatch-bytes", "1"}).spec.wire.dispatch_bytes == 1);
}

TEST_CASE("given stage times: one layer, one rank, any number of waves") {
  const JobSpec spec = parse({"--stages-us", "1,2,3,4,5", "--waves", "1000"}).spec;
  CHECK(spec.shape.ranks == 1);
  CHECK(spec.shape.layers == 1);
  CHECK(spec.stage_times->combine_us == 5);
  CHECK(parse({"--preset", "figure5"}).spec.stage_times->l1_us == 3550);
  CHECK(has(refusal({"--stages-us", "1,2,3,4,5", "--ranks", "2"}), "--ranks 2: "));
  CHECK(has(refusal({"--stages-us", "1,2,3,4"}), "--stages-us 1,2,3,4: write five times"));
}

TEST_CASE("waves split experts: as many as a rank has, in sizes that add up") {
  CHECK(parse({"--waves", "8"}).spec.tiling.waves() == 8);
  CHECK(refusal({"--waves", "9"}) == "--waves 9: use 1 to 8");
  CHECK(parse({"--wave-sizes", "1,3,4"}).spec.tiling.cut().cuts.first_expert(2) == 4);
  CHECK(has(refusal({"--wave-sizes", "1,3,5"}), "add up to the 8 experts"));
  CHECK(has(refusal({"--wave-sizes", "0,8"}), "--wave-sizes 0,8"));
  CHECK(has(refusal({"--schedule", "naive", "--waves", "4"}), "the naive schedule has none"));
  CHECK(parse({"--wave-sizes", "1,3,4", "--waves", "3"}).spec.tiling.waves() == 3);
  CHECK(has(refusal({"--wave-sizes", "1,3,4", "--waves", "4"}), "--wave-sizes 1,3,4"));
}

TEST_CASE("micro-batches, passes and what stands beside the experts") {
  const JobSpec spec = parse({"--micro-batches", "4", "--in-flight", "2", "--backward", "--dense", "64",
                              "--shared-experts", "1", "--allreduce"})
                           .spec;
  CHECK(spec.plan().rounds() == 4 * 2 * 2);
  CHECK(spec.batch_shape().tokens == 128);
  CHECK(spec.step.all_reduce);
  CHECK(refusal({"--micro-batches", "3"}) == "--micro-batches 3: use a divisor of the 512 tokens");
  CHECK(refusal({"--in-flight", "2"}) == "--in-flight 2: needs two micro-batches: add --micro-batches 2");
  CHECK(refusal({"--allreduce"}) == "--allreduce: gradients come with --backward");
  CHECK(has(refusal({"--allreduce", "--backward"}), "add --dense or --shared-experts"));
  CHECK(has(refusal({"--preset", "figure5", "--backward"}), "--backward: given stage times are of one forward layer"));
  CHECK(has(refusal({"--ring", "2", "--micro-batches", "2", "--in-flight", "2"}), "--ring 2: does not go with"));
}

TEST_CASE("waves chosen by the job say why") {
  const JobSpec spec = parse({"--preset", "v4-pro", "--waves", "auto", "--workers", "148"}).spec;
  CHECK(spec.tiling.waves() == 24);
  CHECK(has(spec.schedule_reason, "24 waves of 2 of a rank's 48 experts: 1024 tokens an expert are 288 blocks"));
}

TEST_CASE("each schedule takes its own cuts") {
  CHECK(parse({"--schedule", "comet", "--chunks", "9"}).spec.tiling.parts(Stage::kL2) == 9);
  CHECK(parse({"--schedule", "comet"}).spec.tiling.parts(Stage::kAct) == 1);
  CHECK(parse({"--blocks", "3"}).spec.tiling.parts(Stage::kL1) == 24);
  const JobSpec spec = parse({"--schedule", "interleaved", "--blocks", "2", "--slices", "3"}).spec;
  CHECK(spec.tiling.parts(Stage::kDispatch) == 16);
  CHECK(spec.tiling.parts(Stage::kAct) == 48);
}

TEST_CASE("what does not exist is refused by what does, in one line") {
  const std::vector<std::pair<std::vector<const char*>, const char*>> cases{
      {{"--schedule", "ring"}, "--schedule ring: use one of naive, comet, wave, interleaved"},
      {{"--schedule", "naive", "--chunks", "3"}, "--chunks 3: the naive schedule has none: use --schedule comet"},
      {{"--warm-up", "3"}, "--warm-up 3: the wave schedule has none: use --schedule interleaved"},
      {{"--schedule", "comet", "--blocks", "2"}, "--blocks 2: the comet schedule has none: use --schedule wave"},
      {{"--schedule", "interleaved", "--warm-up", "9"}, "--warm-up 9: use 1 to 8"},
      {{"--waves", "some"}, "--waves some: write a whole number, or auto"},
      {{"--waves", "2.5"}, "--waves 2.5: write a whole number, or auto"},
      {{"--preset", "figure5", "--waves", "auto"}, "--waves auto: given stage times have no experts: name a number"},
      {{"--workers", "0"}, "--workers 0: use 1 to 1024"},
      {{"--backend", "cuda"}, "--backend cuda: not built into this version: use cpu"},
      {{"--clock", "wall"}, "--clock wall: use virtual, paced or real"},
      {{"--preset", "gpt"}, "--preset gpt: use one of tiny, v4-flash, v4-pro, v3, mixtral, figure5"},
      {{"--dtype", "fp8sim"}, "--dtype fp8sim: use fp32 or bf16"},
      {{"--routing", "hot_expert:0.5"},
       "--routing hot_expert:0.5: use uniform, zipf:S (S from 0 to 4), hot_expert:F or hot_rank:F (F from 1 to 10000), "
       "balanced, counts:FILE"},
      {{"--nodes", "3"}, "--nodes 3: use a number that divides the 4 ranks"},
      {{"--node-limit", "2"},
       "--node-limit 2: use 1 to 1 nodes that hold at least the 4 experts of a token; a node has 32"},
      {{"--nodes", "4", "--node-limit", "1", "--topk", "9"},
       "--node-limit 1: use 1 to 4 nodes that hold at least the 9 experts of a token; a node has 8"},
      {{"--nodes", "2", "--node-limit", "1", "--routing", "balanced"},
       "--node-limit 1: balanced routing takes experts in turn: leave it out"},
      {{"--engines", "one"}, "--engines one: use link,compute or in,compute,act,out"},
      {{"--experts", "30"}, "--experts 30: use a multiple of the 4 ranks"},
      {{"--topk", "33"}, "--topk 33: use at most the 32 experts"},
      {{"--ranks", "0"}, "--ranks 0: use 1 to 4096"},
      {{"--link", "50"}, "--link 50: write a rate as 50GB/s or 400Gb/s"},
      {{"--overheads-us", "1,2"}, "--overheads-us 1,2: write three times in us as 60,10,20"},
  };
  for (const auto& [arguments, line] : cases) CHECK(refusal(arguments) == line);
  CHECK(has(refusal({"--ranks", "many"}), "--ranks"));
  CHECK(refusal({"--nonsense"}) == "--nonsense: not an option here: see moescope-refmoe --help");
  CHECK(has(refusal({"--fault", "slow_rank"}), "not an option here"));
  CHECK_FALSE(has(refusal({"--nonsense"}), "\n"));
}

TEST_CASE("work that can't be done is refused before it is begun") {
  CHECK(has(refusal({"--preset", "v4-pro", "--check", "--dispatch-bytes", "2"}),
            "--check on: arithmetic at this size takes"));
  CHECK(has(refusal({"--check", "--dispatch-bytes", "1"}), "arithmetic moves fp32 elements"));
  CHECK(has(refusal({"--clock", "real", "--overheads-us", "1,2,3"}), "--overheads-us 1,2,3"));
  CHECK(has(refusal({"--clock", "real", "--preset", "figure5"}), "--clock real"));
  CHECK(has(refusal({"--check", "--preset", "figure5"}), "--check on"));
}

TEST_CASE("help shows examples, list names everything that can be chosen") {
  CHECK(has(parse({"--help"}).text, "moescope-refmoe --schedule wave --waves 4"));
  CHECK(has(parse({"--version"}).text, "moescope-refmoe "));
  CHECK(parse({"list"}).kind == Command::Kind::kList);
  for (const ScheduleName& schedule : kSchedules) CHECK(has(list_text(), std::string(schedule.name).c_str()));
  for (const Preset& preset : presets()) CHECK(has(list_text(), std::string(preset.name).c_str()));
  for (const char* word : {"virtual", "paced", "real", "uniform", "zipf:S"}) CHECK(has(list_text(), word));
}
