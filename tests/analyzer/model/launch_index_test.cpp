// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/launch_index.h"

#include <random>

#include "tests/support/catch.h"

using namespace moescope;

namespace {

// What launch_of() promises, looked for one by one.
std::uint32_t by_search(const Trace& trace, std::size_t row) {
  const std::int64_t correlation = trace.spans.correlation[row];
  if (!trace.track_of(row).is_execution() || correlation <= 0) return kNoLaunch;
  std::optional<std::size_t> last, first;
  for (std::size_t call = 0; call < trace.spans.size(); ++call) {
    const Track& track = trace.track_of(call);
    if (track.is_execution() || track.rank != trace.track_of(row).rank || trace.spans.correlation[call] != correlation)
      continue;
    const Ns start = trace.spans.start[call];
    if (start <= trace.spans.start[row] && (!last || start >= trace.spans.start[*last])) last = call;
    if (!first || start < trace.spans.start[*first]) first = call;
  }
  return last ? static_cast<std::uint32_t>(*last) : first ? static_cast<std::uint32_t>(*first) : kNoLaunch;
}

// wide: ids far apart. few: ids that repeat.
Trace made(std::mt19937& random, bool wide, bool few) {
  TraceBuilder builder;
  const ClockId clock = builder.clock({});
  std::vector<TrackId> tracks;
  for (int rank = 0; rank < 2; ++rank)
    for (int i = 0; i < 4; ++i) {
      Track track;
      track.rank = RankId(rank);
      track.clock = clock;
      if (i >= 2) track.kind = TrackKind::kGPU_STREAM, track.device = 0;
      tracks.push_back(builder.track(track));
    }
  const NameId name = builder.name("x");
  const ContextId context = builder.context({});
  std::int64_t next = 1;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t id = few ? 1 + static_cast<std::int64_t>(random() % 6) : next++;
    const std::int64_t correlation = wide ? id * 1'000'000'007 : id;
    const auto host = tracks[(random() % 2) * 4 + random() % 2];
    const auto stream = tracks[(random() % 2) * 4 + 2 + random() % 2];  // of another rank too: no launch of its
    builder.span(static_cast<Ns>(random() % 1000), 5, host, name, context, random() % 8 == 0 ? 0 : correlation);
    builder.span(static_cast<Ns>(random() % 1000), 5, stream, name, context, random() % 8 == 0 ? 0 : correlation);
  }
  return builder.finish();
}

}  // namespace

TEST_CASE("every row's launch is the one a search finds: ids close, far apart, repeated") {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const Trace trace = made(random, round % 2 == 0, round % 3 == 0);
    const Column<std::uint32_t> launches = launch_rows(trace);
    REQUIRE(launches.size() == trace.spans.size());
    for (std::size_t row = 0; row < launches.size(); ++row) {
      const std::uint32_t expected = by_search(trace, row);
      // Calls at one instant are as good as each other.
      const bool same = launches[row] == expected || (launches[row] != kNoLaunch && expected != kNoLaunch &&
                                                      trace.spans.start[launches[row]] == trace.spans.start[expected]);
      CHECK(same);
    }
  }
}
