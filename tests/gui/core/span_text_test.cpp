// SPDX-License-Identifier: Apache-2.0
#include "gui/core/span_text.h"

#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

TEST_CASE("kernel names shrink to what tells them apart") {
  CHECK(short_name("void deep_ep::intranode::dispatch<8, 1024>(int4*, float*)") == "dispatch");
  CHECK(short_name("void (anonymous namespace)::reduce_kernel<512>(float*)") == "reduce_kernel");
  CHECK(short_name("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)") == "ncclDevKernel_SendRecv");
  CHECK(short_name("Memcpy DtoH (Device -> Pinned)") == "DtoH");
  CHECK(short_name("l1") == "l1");
  CHECK(short_name("at::native::copy") == "copy");
  CHECK(short_name("") == "");
  CHECK(short_name("<lambda>") == "<lambda>");
}

TEST_CASE("the tooltip says what the record says, with rates") {
  const auto sample = test::sample_run({});
  const Lane& lane = sample.gantt.lanes[0];
  std::string all;
  for (const Fact& fact : span_facts(sample.trace, sample.attribution, sample.gantt, 0, lane.row[0]))
    all += fact.what + "=" + fact.value + "\n";
  CHECK(all ==
        "name=dispatch\nwhere=rank 0, link\nstage=Dispatch, forward\nplace=step 0, layer 0, wave 0\nstart=0 ns\n"
        "duration=80.0 µs\nbytes=3.20 MB, 40.0 GB/s\nexposed=80.0 µs, 100.0 %\n");
  std::string l1;
  for (const Fact& fact : span_facts(sample.trace, sample.attribution, sample.gantt, 1, sample.gantt.lanes[1].row[1]))
    l1 += fact.what + "=" + fact.value + "\n";
  CHECK(l1.find("flops=") != std::string::npos);
  CHECK(l1.find(", 310 TFLOP/s") != std::string::npos);
  CHECK(l1.find("exposed") == std::string::npos);
}

TEST_CASE("a range's read-out measures exactly what it covers, either way round") {
  const auto sample = test::sample_of({{0, 100, Stage::kDISPATCH}, {40, 160, Stage::kL1}, {150, 200, Stage::kCOMBINE}});
  const RangeFigures all = range_figures(sample.gantt, 0, 200);
  CHECK(all.length == 200);
  CHECK(all.busy == 200);
  CHECK(all.exposed == 80);
  CHECK(*all.hidden_fraction == Approx(1 - 80.0 / 150));
  const RangeFigures part = range_figures(sample.gantt, 180, 20);
  CHECK(part.length == 160);
  CHECK(part.busy == 160);
  CHECK(part.exposed == 40);
  CHECK_FALSE(range_figures(sample.gantt, 110, 140).hidden_fraction);
}
