// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/collective_args.h"

#include "tests/support/catch.h"

using namespace moescope;

namespace {

// A buffer of 1,024 BF16 elements = 2,048 bytes, in a group of 4.
CollectiveArgs of(std::string_view name) {
  CollectiveArgs args;
  args.name = name;
  args.element_type = "BFloat16";
  args.elements_in = 1024;
  args.elements_out = 1024;
  args.group_size = 4;
  return args;
}

}  // namespace

TEST_CASE("collectives are told apart by the names PyTorch gives them") {
  CHECK(collective_stage("all_to_allv") == Stage::kALLTOALL);
  CHECK(collective_stage("alltoall_base") == Stage::kALLTOALL);
  CHECK(collective_stage("allreduce") == Stage::kALLREDUCE);
  CHECK(collective_stage("allreduce_coalesced") == Stage::kALLREDUCE);
  CHECK(collective_stage("_allgather_base") == Stage::kALLGATHER);
  CHECK(collective_stage("all_gather") == Stage::kALLGATHER);
  CHECK(collective_stage("_reduce_scatter_base") == Stage::kREDUCESCATTER);
  CHECK(collective_stage("broadcast") == Stage::kBROADCAST);
  CHECK(collective_stage("send") == Stage::kSENDRECV);
  CHECK(collective_stage("barrier") == Stage::kCOLLECTIVE);
}

TEST_CASE("bytes on the wire: the ring's amounts") {
  CHECK(collective_wire_bytes(of("allreduce")) == 2 * 2048 * 3 / 4);
  CHECK(collective_wire_bytes(of("_reduce_scatter_base")) == 2048 * 3 / 4);
  CHECK(collective_wire_bytes(of("alltoall")) == 2048 * 3 / 4);
  CHECK(collective_wire_bytes(of("send")) == 2048);
  CHECK(collective_wire_bytes(of("recv")) == 0);
  CollectiveArgs gather = of("_allgather_base");
  gather.elements_out = 4096;
  CHECK(collective_wire_bytes(gather) == 8192 * 3 / 4);
  CollectiveArgs alone = of("allreduce");
  alone.group_size = 1;
  CHECK(collective_wire_bytes(alone) == 0);
}

TEST_CASE("an all-to-all with splits sends its splits, less its own") {
  CollectiveArgs args = of("all_to_allv");
  args.has_splits = true;
  args.in_splits = {1, 2, 4, 1};  // of 8 rows of 256 bytes
  args.position = 2;
  CHECK(collective_wire_bytes(args) == 4 * 256);
  args.position = 3;
  CHECK(collective_wire_bytes(args) == 7 * 256);
  args.position = -1;  // which part is its own can't be told
  CHECK(collective_wire_bytes(args) == -1);
  args.position = 2;
  args.in_splits = {};  // the record cut them
  CHECK(collective_wire_bytes(args) == -1);
  args.in_splits = {1, 2};
  CHECK(collective_wire_bytes(args) == -1);
}

TEST_CASE("what the arguments don't tell stays unknown") {
  CHECK(collective_wire_bytes(of("barrier")) == -1);
  CollectiveArgs args = of("allreduce");
  args.element_type = "Quaternion";
  CHECK(collective_wire_bytes(args) == -1);
  args = of("allreduce");
  args.elements_in = -1;
  CHECK(collective_wire_bytes(args) == -1);
  args = of("allreduce");
  args.elements_in = std::int64_t{1} << 62;
  CHECK(collective_wire_bytes(args) == -1);
}
