// SPDX-License-Identifier: Apache-2.0
// A collector of the test's own, found as the real one is: by its one exported symbol. What it is told must be what the
// job accounts for, and being told must change nothing.
#include "reference_kernels/recording.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "moescope/annotate.h"
#include "reference_kernels/job/job_output.h"
#include "reference_kernels/job/options.h"
#include "reference_kernels/job/run_job.h"
#include "tests/support/catch.h"

namespace {

struct SeenSpan {
  int rank, stage, role, step, layer, wave, pass, micro_batch;
  std::string lane;
  double ns;
  std::int64_t bytes;
  double flops;
  std::uint32_t clock;
};
struct SeenStep {
  int rank;
  std::int64_t number;
  std::uint32_t clock;
};
struct Seen {
  std::mutex mutex;
  std::vector<SeenSpan> spans;
  std::vector<SeenStep> step_begins, step_windows;
  int step_ends = 0, models = 0, groups = 0, ranges = 0;
  moescope_model_t model = MOESCOPE_MODEL_INIT;
  std::map<int, moescope_device_t> devices;
  std::map<int, int> placement;                                              // expert -> rank
  std::map<std::tuple<int, int, int, int, int>, std::int64_t> load;          // step, layer, rank, side, expert
  std::map<std::tuple<int, int, int, int, int, int>, std::int64_t> traffic;  // step, layer, wave, stage, from, to
};
Seen seen;

struct Lane {
  int rank = -1, layer = -1, micro_batch = -1, pass = -1;
  std::int64_t step = -1;
  std::string name;
};
thread_local Lane lane;

std::int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
std::uint32_t clock_of(const char* name, int kind) {
  return std::string(name) == "virtual" && kind == MOESCOPE_CLOCK_VIRTUAL ? 7u : 99u;
}
void rank_of(int rank, int, const char* name, int kind) {
  lane = {};
  lane.rank = rank;
  lane.name = kind == MOESCOPE_TRACK_EXECUTION ? name : "?";
}
void step_begin(std::int64_t number, int) {
  lane.step = number;
  const std::lock_guard lock(seen.mutex);
  seen.step_begins.push_back({lane.rank, number, 0});
}
void step_end() {
  lane.step = -1;
  const std::lock_guard lock(seen.mutex);
  ++seen.step_ends;
}
// The job gives its own stamps; a range opened here would be a second pair.
void begin(int, const char*, int) {
  ++seen.ranges;
}
void end(std::int64_t, double) {
  ++seen.ranges;
}
// What a span leaves at -1, or NULL, is the calling thread's.
void span(const moescope_span_t* s) {
  const auto or_lane = [](int said, int of_thread) { return said >= 0 ? said : of_thread; };
  const std::lock_guard lock(seen.mutex);
  seen.spans.push_back({or_lane(s->rank, lane.rank), s->stage, s->role, or_lane(s->step, static_cast<int>(lane.step)),
                        or_lane(s->layer, lane.layer), s->wave, or_lane(s->pass, lane.pass),
                        or_lane(s->micro_batch, lane.micro_batch), s->lane != nullptr ? s->lane : lane.name,
                        static_cast<double>(s->end_ns - s->start_ns), s->bytes, s->flops, s->clock});
}
void router_load(const moescope_router_load_t* l) {
  const std::lock_guard lock(seen.mutex);
  for (int i = 0; i < l->experts; ++i) {
    seen.load[{l->step, l->layer, l->rank, l->side, l->first_expert + i}] += l->assigned[i];
  }
}
void peer_traffic(const moescope_peer_traffic_t* t) {
  const std::lock_guard lock(seen.mutex);
  for (int i = 0; i < t->peers; ++i) seen.traffic[{t->step, t->layer, t->wave, t->stage, t->rank, i}] += t->bytes_to[i];
}
void model(const moescope_model_t* m) {
  ++seen.models, seen.model = *m;
}
void device(const moescope_device_t* d) {
  seen.devices[d->rank] = *d;
}
void comm_group(int kind, const char*, int, const std::int32_t*) {
  seen.groups += kind == MOESCOPE_GROUP_EP ? 1 : 100;
}
void placement(std::int64_t, int, int physical, int, int rank) {
  seen.placement[physical] = rank;
}
void window(int rank, std::int64_t number, int, std::uint32_t clock, std::int64_t from, std::int64_t to) {
  if (to > from) seen.step_windows.push_back({rank, number, clock});
}

const moescope_api_table_t kTable{sizeof(moescope_api_table_t),
                                  MOESCOPE_ABI,
                                  now,
                                  clock_of,
                                  rank_of,
                                  step_begin,
                                  step_end,
                                  [](int layer) { lane.layer = layer; },
                                  [](int mb) { lane.micro_batch = mb; },
                                  [](int pass) { lane.pass = pass; },
                                  begin,
                                  end,
                                  span,
                                  router_load,
                                  peer_traffic,
                                  model,
                                  device,
                                  comm_group,
                                  placement,
                                  [](const char*, int, int, std::int64_t, std::int64_t) {},
                                  window};

void forget() {
  const std::lock_guard lock(seen.mutex);
  seen.spans.clear(), seen.step_begins.clear(), seen.step_windows.clear();
  seen.step_ends = seen.models = seen.groups = seen.ranges = 0;
  seen.devices.clear(), seen.placement.clear(), seen.load.clear(), seen.traffic.clear();
}

using namespace moescope::reference;

struct Ran {
  JobSpec spec;
  JobResult result;
};
Ran run(std::vector<const char*> arguments) {
  std::vector<const char*> all{"moescope-refmoe",
                               "--tokens",
                               "24",
                               "--hidden",
                               "16",
                               "--intermediate",
                               "8",
                               "--experts",
                               "12",
                               "--topk",
                               "3",
                               "--ranks",
                               "3",
                               "--layers",
                               "2",
                               "--steps",
                               "2",
                               "--link",
                               "1GB/s",
                               "--flops",
                               "1e9"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  forget();
  Ran ran{parse_command(static_cast<int>(all.size()), all.data()).spec, {}};
  ran.result = run_job(ran.spec);
  return ran;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const moescope_api_table_t* moescope_api(std::uint32_t abi) {
  return abi == MOESCOPE_ABI ? &kTable : nullptr;
}

TEST_CASE("a recording holds exactly what the job accounts for, on every clock and schedule") {
  for (const char* clock : {"virtual", "paced", "real"}) {
    for (const char* schedule : {"naive", "wave", "comet", "interleaved", "trained"}) {
      const bool trained = std::string(schedule) == "trained";
      const Ran ran = trained ? run({"--clock", clock, "--backward", "--micro-batches", "2", "--in-flight", "2",
                                     "--dense", "8", "--shared-experts", "1", "--allreduce"})
                              : run({"--clock", clock, "--schedule", schedule});
      const bool is_virtual = ran.spec.clock == ClockKind::kVirtual, waves = ran.spec.schedule_name == "wave";
      REQUIRE(seen.ranges == 0);
      for (const StageTotal& total : ran.result.stages) {
        int spans = 0;
        std::int64_t bytes = 0;
        double flops = 0, ns = 0;
        for (const SeenSpan& s : seen.spans) {
          const PublicStage meaning = public_stage(total.stage, total.direction);
          if (s.rank != total.rank || s.stage != meaning.stage || s.pass != meaning.pass) continue;
          CHECK(s.role == meaning.role);
          ++spans;
          bytes += s.bytes;
          flops += s.flops;
          ns += s.ns;
          CHECK((s.step >= 0 && s.step < 2 && s.layer >= 0 && s.layer < 2));
          const bool of_experts = static_cast<int>(total.stage) < kMoeStageCount;
          CHECK((waves && of_experts ? s.wave >= 0 && s.wave < 4 : s.wave == -1));
          CHECK((s.micro_batch >= 0 && s.micro_batch < (trained ? 2 : 1)));
          CHECK(s.lane == (is_link_stage(total.stage) ? "link" : "compute"));
          CHECK(s.clock == (is_virtual ? 7u : 0u));
        }
        CHECK(spans == total.spans);
        CHECK(bytes == total.bytes);
        CHECK(flops == static_cast<double>(total.flops));
        // Explicit times are rounded to whole ns; the thread's own stamps enclose the job's.
        if (is_virtual) CHECK(std::fabs(ns - total.time_ns) <= spans);
        if (!is_virtual) CHECK(ns >= total.time_ns - spans);
      }
      // Every lane of every rank marks the same steps.
      if (is_virtual) {
        CHECK(seen.step_begins.empty());
        CHECK(seen.step_windows.size() == 3 * 2);
        for (const SeenStep& step : seen.step_windows) CHECK(step.clock == 7u);
      } else {
        CHECK(seen.step_begins.size() == 3 * 2 * 2);
        CHECK(seen.step_ends == 3 * 2 * 2);
      }
      // Tokens: sent and received agree with each other and with the account.
      for (int layer = 0; layer < 2; ++layer) {
        for (int expert = 0; expert < 12; ++expert) {
          std::int64_t received = 0, sent = 0;
          for (const auto& [key, tokens] : seen.load) {
            const auto [step, l, rank, side, e] = key;
            if (l != layer || e != expert) continue;
            (side == MOESCOPE_SIDE_RECEIVED ? received : sent) += tokens;
            if (side == MOESCOPE_SIDE_RECEIVED) CHECK(rank == seen.placement.at(e));
          }
          const auto at = static_cast<std::size_t>(expert);
          CHECK(received == ran.result.tokens_per_expert[static_cast<std::size_t>(layer)][at]);
          CHECK(sent == received);
        }
      }
      // Bytes between peers: what a rank's link pulled is what the others sent it.
      for (const StageTotal& total : ran.result.stages) {
        if (total.stage != Stage::kDispatch && total.stage != Stage::kCombine) continue;
        if (trained) continue;  // passes share a key here
        std::int64_t pulled = 0;
        for (const auto& [key, bytes] : seen.traffic) {
          const auto [step, layer, wave, stage, from, to] = key;
          if (stage == public_stage(total.stage, total.direction).stage && to == total.rank && from != to)
            pulled += bytes;
          CHECK((waves ? wave >= 0 : wave == -1));
        }
        CHECK(pulled == total.bytes);
      }
    }
  }
}

TEST_CASE("the run is described once: model, devices, group, placement") {
  run({"--dtype", "bf16"});
  CHECK(seen.models == 1);
  CHECK(seen.groups == 1);
  CHECK(seen.model.hidden == 16);
  CHECK(seen.model.intermediate == 8);
  CHECK(seen.model.experts == 12);
  CHECK(seen.model.top_k == 3);
  CHECK(seen.model.layers == 2);
  CHECK(seen.model.gated == 1);
  CHECK(seen.model.dispatch_bytes_per_element == 2);
  CHECK(seen.model.synthetic_routing == 1);
  REQUIRE(seen.devices.size() == 3);
  CHECK(seen.devices[1].peak_flops == 1e9);
  CHECK(seen.devices[1].link_gb_s == Approx(1));
  CHECK(seen.devices[1].link_kind == MOESCOPE_LINK_EMULATED);
  CHECK(seen.placement.size() == 12);
  CHECK((seen.placement[0] == 0 && seen.placement[11] == 2));
}

TEST_CASE("given stage times are recorded without bytes, FLOPs or tokens") {
  forget();
  std::array<const char*, 3> arguments{"moescope-refmoe", "--preset", "figure5"};
  run_job(parse_command(3, arguments.data()).spec);
  CHECK(seen.spans.size() == 5 * 4);
  for (const SeenSpan& s : seen.spans) CHECK((s.bytes == -1 && s.flops == -1));
  CHECK(seen.load.empty());
  CHECK(seen.traffic.empty());
  CHECK(seen.devices[0].peak_flops == -1);
}

TEST_CASE("being recorded changes neither results nor virtual time") {
  // The program itself runs without a collector, this process with one.
  for (const char* schedule : {"naive", "comet", "wave", "interleaved"}) {
    const std::string arguments =
        std::string("--ranks 3 --experts 12 --tokens 24 --steps 2 --check --json --schedule ") + schedule;
    FILE* pipe = popen((std::string(MOESCOPE_BUILD_DIR) + "/bin/moescope-refmoe " + arguments).c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string alone;
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) alone.append(buffer.data(), n);
    REQUIRE(pclose(pipe) == 0);
    std::vector<const char*> same{"moescope-refmoe", "--ranks", "3",       "--experts",  "12",    "--tokens", "24",
                                  "--steps",         "2",       "--check", "--schedule", schedule};
    forget();
    const JobSpec spec = parse_command(static_cast<int>(same.size()), same.data()).spec;
    CHECK(json_account(spec, run_job(spec)) == alone);
    CHECK_FALSE(seen.spans.empty());
  }
}
