// SPDX-License-Identifier: Apache-2.0
// The collector's core inside a process of its own, without the preload: so it also runs under the sanitizers. A
// session is one a process, so each case forks and does its work in the child.
#include "collector/src/session.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "collector/src/annotations.h"
#include "tests/collector/trace/sqlite_query.h"

using namespace moescope::collector;
using namespace moescope::test;

namespace {

const moescope_api_table_t& api() {
  return *annotation_table(MOESCOPE_ABI);
}

// Runs the work in a child that records into dir; returns its exit status.
int in_child(const ScratchFolder& dir, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("MOESCOPE_OUT", dir.path().c_str(), 1);
    setenv("MOESCOPE_FLUSH_MS", "10", 1);
    work();
    Session::finish("exit");
    _exit(0);
  }
  return wait_for(child);
}

std::string only_file(const ScratchFolder& dir) {
  const auto files = files_in(dir);
  CAPTURE(files);
  REQUIRE(files.size() == 1);
  return dir / files[0];
}

}  // namespace

TEST_CASE("Eight threads, begins and ends, and not one is missing") {
  constexpr int kThreads = 8, kSpans = 5000;
  ScratchFolder dir;
  REQUIRE(in_child(dir, [] {
            std::vector<std::thread> threads;
            for (int t = 0; t < kThreads; ++t)
              threads.emplace_back([t] {
                api().rank(t, kThreads, "lane", MOESCOPE_TRACK_EXECUTION);
                for (int i = 0; i < kSpans; ++i) {
                  if (i % 100 == 0) api().layer(i / 100);
                  api().begin(MOESCOPE_STAGE_L1, "outer", -1);
                  api().begin(MOESCOPE_STAGE_ACT, nullptr, 3);
                  api().end(-1, -1);
                  api().end(i, 2.0);
                }
              });
            for (std::thread& thread : threads) thread.join();
          }) == 0);
  const std::string path = only_file(dir);
  CHECK(number(path, "SELECT count(*) FROM span") == 2 * kThreads * kSpans);
  const auto per_rank = query(path,
                              "SELECT rank, name, count(*), min(wave), count(bytes) FROM stage_span "
                              "GROUP BY rank, name ORDER BY rank, name");
  REQUIRE(per_rank.size() == 2 * kThreads);
  for (int t = 0; t < kThreads; ++t) {
    CHECK(per_rank[static_cast<std::size_t>(2 * t)] == Row{std::to_string(t), "act", "5000", "3", "0"});
    CHECK(per_rank[static_cast<std::size_t>(2 * t + 1)] == Row{std::to_string(t), "outer", "5000", "-1", "5000"});
  }
  CHECK(number(path, "SELECT sum(bytes) FROM stage_span WHERE name='outer' AND rank=3") == kSpans * (kSpans - 1LL) / 2);
  CHECK(number(path, "SELECT count(DISTINCT layer) FROM stage_span") == kSpans / 100);
  CHECK(number(path,
               "SELECT count(*) FROM stage_span o JOIN stage_span a ON a.track = o.track AND a.rank = o.rank "
               "WHERE o.name='outer' AND a.name='act' AND o.rank=0 AND o.id=a.id+1 "
               "AND NOT (a.start_ns >= o.start_ns AND a.start_ns + a.dur_ns <= o.start_ns + o.dur_ns)") == 0);
  CHECK(query(path, "SELECT code FROM diagnostic WHERE severity <> 'info'").empty());
  CHECK(number(path, "SELECT count FROM diagnostic WHERE code='events_recorded'") == 4 * kThreads * kSpans);
  CHECK(value(path, "SELECT end_kind FROM run") == "exit");
  CHECK(value(path, "SELECT rank_source FROM process") == "annotation");
}

TEST_CASE("Explicit spans lie where they say: virtual clock, several ranks from one thread") {
  ScratchFolder dir;
  REQUIRE(in_child(dir, [] {
            const std::uint32_t clock = api().clock("events", MOESCOPE_CLOCK_VIRTUAL);
            if (clock == 0 || api().clock("events", MOESCOPE_CLOCK_VIRTUAL) != clock) _exit(1);
            for (int rank = 0; rank < 3; ++rank)
              for (int step = 0; step < 2; ++step) {
                const std::int64_t start = step * 1000;
                api().step_window(rank, 50 + step, MOESCOPE_STEP_TRAIN, clock, start, start + 900);
                moescope_span_t span = MOESCOPE_SPAN_INIT;
                span.clock = clock;
                span.start_ns = start + 10;
                span.end_ns = start + 110 + rank;
                span.lane = "link";
                span.stage = MOESCOPE_STAGE_COMBINE;
                span.role = MOESCOPE_STAGE_DISPATCH;
                span.pass = MOESCOPE_PASS_BACKWARD;
                span.part = MOESCOPE_PART_SYNC;
                span.rank = rank;
                span.step = 50 + step;
                span.layer = 4;
                span.wave = 2;
                span.chunk = 1;
                span.bytes = 77;
                api().span(&span);
              }
          }) == 0);
  const std::string path = only_file(dir);
  CHECK(query(path,
              "SELECT rank, track, start_ns, dur_ns, stage, role, part, pass, kind, name, step, layer, wave, chunk, "
              "bytes, clock FROM stage_span ORDER BY rank, step LIMIT 3") ==
        std::vector<Row>{{"0", "link", "10", "100", "combine", "dispatch", "sync", "backward", "work", "combine", "0",
                          "4", "2", "1", "77", "events"},
                         {"0", "link", "1010", "100", "combine", "dispatch", "sync", "backward", "work", "combine", "1",
                          "4", "2", "1", "77", "events"},
                         {"1", "link", "10", "101", "combine", "dispatch", "sync", "backward", "work", "combine", "0",
                          "4", "2", "1", "77", "events"}});
  CHECK(query(path,
              "SELECT rank, step, number, clock.name, start_rel, dur FROM step JOIN clock ON clock.id = clock "
              "WHERE rank = 2 ORDER BY step") ==
        std::vector<Row>{{"2", "0", "50", "events", "0", "900"}, {"2", "1", "51", "events", "1000", "900"}});
  CHECK(number(path, "SELECT count(*) FROM rank") == 3);
  CHECK(number(path, "SELECT count(*) FROM track") == 3);
}

TEST_CASE("Loads, traffic, model, device, groups, placement and counters come through") {
  ScratchFolder dir;
  REQUIRE(in_child(dir, [] {
            api().rank(1, 4, nullptr, MOESCOPE_TRACK_HOST_THREAD);
            api().step_begin(9, MOESCOPE_STEP_PREFILL);
            api().layer(6);
            api().pass(MOESCOPE_PASS_FORWARD);
            const std::vector<std::int64_t> assigned = {5, 0, 7}, kept = {4, 0, 7};
            moescope_router_load_t load = MOESCOPE_ROUTER_LOAD_INIT;
            load.first_expert = 10;
            load.experts = 3;
            load.assigned = assigned.data();
            load.kept = kept.data();
            api().router_load(&load);
            const std::vector<std::int64_t> bytes = {100, 0, 300, 400};
            moescope_peer_traffic_t traffic = MOESCOPE_PEER_TRAFFIC_INIT;
            traffic.peers = 4;
            traffic.bytes_to = bytes.data();
            traffic.wave = 2;
            api().peer_traffic(&traffic);
            moescope_model_t model = MOESCOPE_MODEL_INIT;
            model.name = "tiny";
            model.hidden = 64;
            model.gated = 1;
            api().model(&model);
            moescope_device_t device = MOESCOPE_DEVICE_INIT;
            device.name = "cpu";
            device.node = 3;
            device.link_gb_s = 12.5;
            api().device(&device);
            const std::int32_t ranks[] = {0, 1, 2, 3};
            api().comm_group(MOESCOPE_GROUP_EP, "ep", 4, ranks);
            api().comm_group(MOESCOPE_GROUP_EP, "ep", 4, ranks);
            api().expert_placement(0, -1, 8, 3, 1);
            api().counter("nvlink0", MOESCOPE_LINK_NVLINK, -1, 10, 20);
            api().counter("nvlink0", MOESCOPE_LINK_NVLINK, -1, 30, 20);
            api().step_end();
          }) == 0);
  const std::string path = only_file(dir);
  CHECK(query(path, "SELECT * FROM router_load") == std::vector<Row>{{"0", "6", "-1", "1", "10", "1", "5", "4"},
                                                                     {"0", "6", "-1", "1", "11", "1", "0", "0"},
                                                                     {"0", "6", "-1", "1", "12", "1", "7", "7"}});
  CHECK(query(path,
              "SELECT step, layer, wave, stage, pass, src_rank, dst_rank, bytes FROM peer_traffic WHERE bytes > 0") ==
        std::vector<Row>{{"0", "6", "2", "3", "1", "1", "0", "100"},
                         {"0", "6", "2", "3", "1", "1", "2", "300"},
                         {"0", "6", "2", "3", "1", "1", "3", "400"}});
  CHECK(query(path, "SELECT name, hidden, intermediate, gated, source FROM model") ==
        std::vector<Row>{{"tiny", "64", "-1", "1", "annotation"}});
  CHECK(query(path, "SELECT rank, name, peak_flops, link_gb_s FROM device") ==
        std::vector<Row>{{"1", "cpu", "NULL", "12.5"}});
  CHECK(query(path, "SELECT rank, world_size, node FROM rank") == std::vector<Row>{{"1", "4", "3"}});
  CHECK(number(path, "SELECT count(*) FROM comm_group") == 1);
  CHECK(number(path, "SELECT count(*) FROM comm_group_rank") == 4);
  CHECK(query(path, "SELECT * FROM expert_placement") == std::vector<Row>{{"0", "-1", "8", "3", "1"}});
  CHECK(query(path, "SELECT name, tx_bytes, rx_bytes FROM link_sample JOIN link ON link.id = link ORDER BY t_rel") ==
        std::vector<Row>{{"nvlink0", "10", "20"}, {"nvlink0", "30", "20"}});
  CHECK(query(path, "SELECT rank, step, number, kind FROM step") == std::vector<Row>{{"1", "0", "9", "2"}});
}

TEST_CASE("Wrong use costs nothing but its own record") {
  ScratchFolder dir;
  REQUIRE(in_child(dir, [] {
            api().end(1, 1);
            api().step_end();
            api().span(nullptr);
            api().router_load(nullptr);
            moescope_span_t span = MOESCOPE_SPAN_INIT;
            span.abi = 99;
            api().span(&span);
            span = MOESCOPE_SPAN_INIT;
            span.stage = 1000;
            span.clock = 4711;
            span.start_ns = 50;
            span.end_ns = 40;
            api().span(&span);
            api().begin(-7, std::string(5000, 'n').c_str(), -1);
            api().pass(77);
            api().begin(MOESCOPE_STAGE_L1, "", -1);
          }) == 0);
  const std::string path = only_file(dir);
  CHECK(query(path, "SELECT length(name), stage, dur_ns >= 0 FROM stage_span ORDER BY length(name)") ==
        std::vector<Row>{{"0", "l1", "1"}, {"12", "unattributed", "1"}, {"1000", "unattributed", "1"}});
  CHECK(number(path, "SELECT count(*) FROM context WHERE flags = 1") == 2);  // the two left open
  CHECK(number(path, "SELECT count FROM diagnostic WHERE code = 'unbalanced_ends'") == 2);
}

TEST_CASE("A struct of an older, shorter header is read as far as it goes") {
  ScratchFolder dir;
  REQUIRE(in_child(dir, [] {
            moescope_span_t span = MOESCOPE_SPAN_INIT;
            span.start_ns = 5;
            span.end_ns = 9;
            span.layer = 3;
            span.bytes = 1;  // beyond its end
            span.size = offsetof(moescope_span_t, wave);
            api().span(&span);
          }) == 0);
  CHECK(query(only_file(dir), "SELECT layer, bytes FROM stage_span") == std::vector<Row>{{"3", "NULL"}});
}

TEST_CASE("Batches of five hundred short threads leave memory as it was, and all their spans") {
  ScratchFolder dir;
  REQUIRE(in_child(dir, [] {
            const auto threads = [](int count) {
              for (int t = 0; t < count; ++t)
                std::thread([] {
                  api().begin(MOESCOPE_STAGE_ROUTER, nullptr, -1);
                  api().end(-1, -1);
                }).join();
            };
            // A ring is given back at the flush after its thread's end: the first five hundred show what one period
            // takes, and the others must find that. Kept, theirs would be some 20 MiB.
            const auto batch = [&] {
              threads(500);
              usleep(300000);
            };
            batch();
            rusage before{}, after{};
            getrusage(RUSAGE_SELF, &before);
            for (int again = 0; again < 5; ++again) batch();
            getrusage(RUSAGE_SELF, &after);
#ifndef MOESCOPE_SANITIZED
            if (after.ru_maxrss - before.ru_maxrss > 4096) _exit(9);  // KiB
#endif
          }) == 0);
  CHECK(number(only_file(dir), "SELECT count(*) FROM span") == 3000);
}

TEST_CASE("Forked children record for themselves, the parent goes on, however busy the flush thread is") {
#ifdef __SANITIZE_THREAD__
  MOESCOPE_SKIP("ThreadSanitizer ends a forked child that starts a thread");
#else
  ScratchFolder dir;
  REQUIRE(in_child(dir, [] {
            std::atomic<bool> stop{false};
            std::thread noise([&] {
              for (int n = 0; !stop; ++n) {
                api().begin(MOESCOPE_STAGE_L2, "noise", -1);
                api().end(-1, -1);
                if (n % 16 == 0) usleep(100);
              }
            });
            for (int i = 0; i < 8; ++i) {
              const pid_t child = fork();
              if (child == 0) {
                api().begin(MOESCOPE_STAGE_L1, "child", -1);
                api().end(-1, -1);
                Session::finish("exit");
                _exit(0);
              }
              if (wait_for(child) != 0) _exit(1);
              api().begin(MOESCOPE_STAGE_L1, "parent", -1);
              api().end(-1, -1);
            }
            stop = true;
            noise.join();
          }) == 0);
  const auto files = files_in(dir);
  CHECK(files.size() == 9);
  std::size_t children = 0;
  for (const std::string& file : files) {
    const std::string path = dir / file;
    CHECK(value(path, "SELECT end_kind FROM run") == "exit");
    if (number(path, "SELECT count(*) FROM stage_span WHERE name='parent'") == 8) continue;
    ++children;
    CHECK(query(path, "SELECT name, count(*) FROM stage_span GROUP BY name") == std::vector<Row>{{"child", "1"}});
  }
  CHECK(children == 8);
#endif
}

TEST_CASE("Where the directory can't be made, the job goes on unrecorded and hears of it once") {
  ScratchFolder dir;
  write_file(dir / "file", "");
  const pid_t child = fork();
  if (child == 0) {
    const int err = open((dir / "err").c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(err, STDERR_FILENO);
    setenv("MOESCOPE_OUT", (dir / "file/run").c_str(), 1);
    for (int i = 0; i < 1000; ++i) {
      api().begin(MOESCOPE_STAGE_L1, nullptr, -1);
      api().end(-1, -1);
      if (i % 100 == 0) usleep(2000);
    }
    Session::finish("exit");
    _exit(0);
  }
  CHECK(wait_for(child) == 0);
  const std::string said = contents(dir / "err");
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  CHECK(said.find("is not recorded") != std::string::npos);
  CHECK(said.find("file/run") != std::string::npos);
}
