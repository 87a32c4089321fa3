// SPDX-License-Identifier: Apache-2.0
// NCCL's calls as NVTX ranges with payloads, and the kernels they launch: sizes, groups and peers known by
// construction.
#include <map>

#include "analyzer/import/importer.h"
#include "tests/analyzer/import/nsys_export.h"
#include "tests/support/process.h"

using namespace moescope;
using test::NsysExport;
using test::NsysPayloadBytes;

namespace {

constexpr std::uint64_t kWorld = 0xabcdef0123456789, kPair = 0x1111;

// As NCCL 2.25 registers them, by the recorder's numbers.
void add_schemas(NsysExport& file) {
  file.sql(
      "CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags "
      "INTEGER, numEntries INTEGER, payloadSize INTEGER, alignTo INTEGER)");
  file.sql(
      "INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1,18,NULL,1,NULL,4,24,NULL), (1,20,NULL,1,NULL,2,16,NULL), "
      "(1,22,NULL,1,NULL,3,24,NULL), (1,25,NULL,1,NULL,3,24,NULL)");
  file.sql(
      "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER "
      "NOT NULL, flags INTEGER, type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset "
      "INTEGER)");
  const std::string id = ",0,NULL,18,'NCCL communicator ID',NULL,NULL,NULL)";
  const std::string size = ",1,NULL,22,'Message size [bytes]',NULL,NULL,8)";
  file.sql("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1,18" + id +
           ", (1,18,1,NULL,5,'No. of ranks',NULL,NULL,8), (1,18,2,NULL,5,'Rank',NULL,NULL,12), (1,18,3,NULL,5,'CUDA "
           "device',NULL,NULL,16), (1,20" +
           id + ", (1,20" + size + ", (1,22" + id + ", (1,22" + size + ", (1,22,2,NULL,5,'Root',NULL,NULL,16), (1,25" +
           id + ", (1,25" + size + ", (1,25,2,NULL,5,'Peer rank',NULL,NULL,16)");
}

std::string made(std::uint64_t communicator, int ranks, int rank) {
  return NsysPayloadBytes(18)
      .add(communicator)
      .add(std::int32_t{ranks})
      .add(std::int32_t{rank})
      .add(std::int32_t{rank})
      .add(std::int32_t{0})
      .bytes();
}
std::string sized(std::uint64_t communicator, std::uint64_t bytes) {
  return NsysPayloadBytes(20).add(communicator).add(bytes).bytes();
}
std::string with(std::uint32_t schema, std::uint64_t communicator, std::uint64_t bytes, std::int32_t third) {
  return NsysPayloadBytes(schema).add(communicator).add(bytes).add(third).add(std::int32_t{0}).bytes();
}

}  // namespace

TEST_CASE("collectives get their sizes, peers and groups from the calls that launched their kernels") {
  const test::ScratchFolder folder;
  const std::string path = folder / "nccl.sqlite";
  {
    NsysExport file(path);
    add_schemas(file);
    const auto allreduce = file.string("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
               send_recv = file.string("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"),
               gather = file.string("ncclDevKernel_AllGather_RING_SIMPLE(x)"), call = file.string("cuLaunchKernelEx"),
               gemm = file.string("gemm");
    file.kernel_table();
    file.call_table();
    file.range_table();
    // Process 900 has device 0 and is rank 1; process 100 has device 1 and is rank 0.
    const auto process = [&](std::int64_t pid, std::int64_t tid, int device, int rank, std::int64_t base) {
      file.range(base, base + 10, "ncclCommInitRank", pid, tid, made(kWorld, 2, rank));
      file.range(base + 11, base + 12, "ncclCommInitRank", pid, tid, made(kPair, 2, rank));
      // A call of its own.
      file.range(base + 20, base + 30, "ncclAllReduce", pid, tid, sized(kWorld, 1'000));
      file.call(base + 22, base + 23, pid, tid, 1, call);
      file.kernel(base + 100, base + 200, pid, device, 7, 1, allreduce);
      // An all-to-all: to itself 500 bytes, to the other one 300 + rank, and as much back.
      file.range(base + 40, base + 41, "ncclGroupStart", pid, tid);
      for (int peer = 0; peer < 2; ++peer) {
        const std::uint64_t bytes = peer == rank ? 500 : 300 + static_cast<std::uint64_t>(rank);
        const std::uint64_t back = peer == rank ? 500 : 300 + static_cast<std::uint64_t>(peer);
        file.range(base + 42 + peer * 4, base + 43 + peer * 4, "ncclSend", pid, tid, with(25, kWorld, bytes, peer));
        file.range(base + 44 + peer * 4, base + 45 + peer * 4, "ncclRecv", pid, tid, with(25, kWorld, back, peer));
      }
      file.range(base + 55, base + 65, "ncclGroupEnd", pid, tid);
      file.call(base + 60, base + 61, pid, tid, 2, call);
      file.kernel(base + 300, base + 400, pid, device, 7, 2, send_recv);
      // A group of two collectives on two communicators: a kernel each, in order.
      file.range(base + 70, base + 71, "ncclGroupStart", pid, tid);
      file.range(base + 72, base + 73, "ncclAllGather", pid, tid, sized(kWorld, 64));
      file.range(base + 74, base + 75, "ncclAllReduce", pid, tid, sized(kPair, 128));
      file.range(base + 76, base + 85, "ncclGroupEnd", pid, tid);
      file.call(base + 77, base + 78, pid, tid, 3, call);
      file.call(base + 79, base + 80, pid, tid, 4, call);
      file.kernel(base + 600, base + 700, pid, device, 9, 4, allreduce);
      file.kernel(base + 610, base + 710, pid, device, 7, 3, gather);
      // Launched by a call that the record lost, and a kernel that is no collective.
      file.kernel(base + 800, base + 810, pid, device, 7, 99, allreduce);
      file.call(base + 90, base + 91, pid, tid, 6, call);
      file.kernel(base + 820, base + 830, pid, device, 7, 6, gemm);
    };
    process(900, 901, 0, 1, 0);
    process(100, 101, 1, 0, 5'000);
  }
  const Trace trace = load_trace({path}, "auto", {});
  REQUIRE(trace.ranks.size() == 2);
  for (const Diagnostic& one : trace.diagnostics) {
    CHECK(one.code != "rank_assumed");
    CHECK(one.code != "payload_unreadable");
    CHECK(one.code != "collectives_without_sizes");
  }
  REQUIRE(trace.comm_groups.size() == 2);
  std::map<std::string, std::vector<std::int32_t>> groups;
  for (const CommGroup& group : trace.comm_groups) groups[group.name] = group.ranks;
  CHECK(groups.at("nccl abcdef0123456789") == std::vector<std::int32_t>{0, 1});
  CHECK(groups.at("nccl 0000000000001111") == std::vector<std::int32_t>{0, 1});

  REQUIRE(trace.collectives.size() == 10);
  std::size_t checked = 0;
  for (const Collective& one : trace.collectives) {
    REQUIRE(one.span >= 0);
    const auto row = static_cast<std::size_t>(one.span);
    CHECK(trace.track_of(row).rank == one.rank);
    CHECK(trace.track_of(row).device == 1 - one.rank.value);
    const Ns at = trace.spans.start[row] - (one.rank.value == 0 ? 5'000 : 0);
    const std::string op = trace.names[static_cast<std::size_t>(one.op.value)];
    INFO("rank " << one.rank.value << " at " << at);
    const std::string group =
        one.comm_group >= 0 ? trace.comm_groups[static_cast<std::size_t>(one.comm_group)].name : std::string();
    ++checked;
    if (at == 100) {
      CHECK(op == "AllReduce");
      CHECK(one.algorithm == "ring");
      CHECK(one.protocol == "ll");
      CHECK(one.bytes_in == 1'000);
      CHECK(one.bytes_out == 1'000);
      CHECK(one.group_size == 2);
      CHECK(group == "nccl abcdef0123456789");
      CHECK(trace.spans.bytes[row] == 1'000);  // 2 (n - 1) / n of the buffer
    } else if (at == 300) {
      CHECK(op == "SendRecv");
      CHECK(one.bytes_in == 800 + one.rank.value);
      CHECK(one.bytes_out == 801 - one.rank.value);
      const std::int64_t sent = 300 + one.rank.value, received = 301 - one.rank.value;
      CHECK(one.in_splits ==
            (one.rank.value == 0 ? std::vector<std::int64_t>{500, sent} : std::vector{sent, std::int64_t{500}}));
      CHECK(one.out_splits == (one.rank.value == 0 ? std::vector<std::int64_t>{500, received}
                                                   : std::vector{received, std::int64_t{500}}));
      CHECK(trace.spans.bytes[row] == sent);  // what it keeps for itself is on no wire
    } else if (at == 600) {
      CHECK(op == "AllReduce");
      CHECK(one.bytes_in == 128);
      CHECK(group == "nccl 0000000000001111");
    } else if (at == 610) {
      CHECK(op == "AllGather");
      CHECK(one.bytes_in == 64);
      CHECK(one.bytes_out == 128);
      CHECK(trace.spans.bytes[row] == 64);
    } else {
      CHECK(at == 800);
      CHECK(op == "AllReduce");
      CHECK(one.bytes_in == -1);
      CHECK(one.comm_group == -1);
      CHECK(trace.spans.bytes[row] == -1);
    }
  }
  CHECK(checked == 10);
}

TEST_CASE("roots, a send alone, and kernels that can't be told apart") {
  const test::ScratchFolder folder;
  const std::string path = folder / "nccl.sqlite";
  {
    NsysExport file(path);
    add_schemas(file);
    const auto broadcast = file.string("ncclDevKernel_Broadcast_RING_LL(x)"),
               send_recv = file.string("ncclDevKernel_SendRecv(x)"), call = file.string("cuLaunchKernelEx");
    file.kernel_table();
    file.call_table();
    file.range_table();
    file.range(0, 10, "ncclBroadcast", 5, 6, with(22, kWorld, 4'096, 3));
    file.call(1, 2, 5, 6, 1, call);
    file.kernel(100, 110, 5, 0, 7, 1, broadcast);
    file.range(20, 30, "ncclSend", 5, 6, with(25, kWorld, 100, 4));
    file.call(21, 22, 5, 6, 2, call);
    file.kernel(200, 210, 5, 0, 7, 2, send_recv);
    // Two sizes, three kernels: which is whose can't be known.
    file.range(40, 41, "ncclGroupStart", 5, 6);
    file.range(42, 43, "ncclBroadcast", 5, 6, with(22, kWorld, 1, 0));
    file.range(44, 45, "ncclBroadcast", 5, 6, with(22, kPair, 2, 0));
    file.range(46, 60, "ncclGroupEnd", 5, 6);
    for (int i = 0; i < 3; ++i) {
      file.call(47 + i * 2, 48 + i * 2, 5, 6, 10 + i, call);
      file.kernel(300 + i * 20, 310 + i * 20, 5, 0, 7, 10 + i, broadcast);
    }
  }
  const Trace trace = load_trace({path}, "auto", {});
  REQUIRE(trace.collectives.size() == 5);
  const auto op = [&trace](std::size_t i) {
    return trace.names[static_cast<std::size_t>(trace.collectives[i].op.value)];
  };
  CHECK(op(0) == "Broadcast");
  CHECK(trace.collectives[0].root_or_peer == 3);
  CHECK(trace.collectives[0].bytes_in == 4'096);
  CHECK(trace.collectives[0].group_size == -1);
  CHECK(op(1) == "Send");
  CHECK(trace.collectives[1].root_or_peer == 4);
  CHECK(trace.collectives[1].bytes_in == 100);
  for (std::size_t i = 2; i < 5; ++i) {
    CHECK(op(i) == "Broadcast");
    CHECK(trace.collectives[i].bytes_in == -1);
  }
}

TEST_CASE("NCCL without payloads, and payloads of a layout nobody knows") {
  const test::ScratchFolder folder;
  const std::string path = folder / "nccl.sqlite";
  {
    NsysExport file(path);
    const auto kernel = file.string("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)"),
               call = file.string("cuLaunchKernelEx");
    file.kernel_table();
    file.call_table();
    file.range_table();
    file.range(0, 10, "ncclAllReduce", 5, 6, "fifteen bytes..");
    file.call(1, 2, 5, 6, 1, call);
    file.kernel(100, 110, 5, 0, 7, 1, kernel);
  }
  const Trace trace = load_trace({path}, "auto", {});
  REQUIRE(trace.collectives.size() == 1);
  CHECK(trace.names[static_cast<std::size_t>(trace.collectives[0].op.value)] == "AllReduce");
  CHECK(trace.collectives[0].bytes_in == -1);
  std::map<std::string, std::int64_t> codes;
  for (const Diagnostic& one : trace.diagnostics) codes[one.code] += one.count;
  CHECK(codes["payload_unreadable"] == 1);
  CHECK(codes["collectives_without_sizes"] == 1);
}
