// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/trace.h"

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("a finished trace keeps each track's spans together, in order, the enclosing one first") {
  TraceBuilder builder;
  Track lane;
  lane.kind = TrackKind::kEXECUTION;
  const TrackId first = builder.track(lane), second = builder.track(lane);
  const ContextId context = builder.context({});
  builder.span(50, 5, second, builder.name("late"), context);
  builder.span(10, 5, first, builder.name("inner"), context, 7, 100, 3.0);
  builder.span(10, 20, first, builder.name("outer"), context);
  builder.span(0, 1, second, builder.name("early"), context);
  const Trace trace = builder.finish();
  REQUIRE(trace.spans.size() == 4);
  CHECK(trace.name_of(0) == "outer");
  CHECK(trace.name_of(1) == "inner");
  CHECK(trace.spans.bytes[1] == 100);
  CHECK(trace.spans.correlation[1] == 7);
  CHECK(trace.name_of(2) == "early");
  CHECK(trace.tracks[1].first_row == 2);
  CHECK(trace.tracks[1].rows == 2);
}

TEST_CASE("names, contexts and host clocks are interned over all files of a run") {
  TraceBuilder builder;
  CHECK(builder.name("a") == builder.name("a"));
  CHECK(builder.name("a") != builder.name("b"));
  Context context;
  context.wave = WaveId(3);
  CHECK(builder.context(context) == builder.context(context));
  CHECK(builder.context(context) != builder.context({}));
  CHECK(builder.clock({ClockKind::kMONOTONIC, "monotonic", "boot-a"}) ==
        builder.clock({ClockKind::kMONOTONIC, "monotonic", "boot-a"}));
  CHECK(builder.clock({ClockKind::kMONOTONIC, "monotonic", "boot-b"}) !=
        builder.clock({ClockKind::kMONOTONIC, "monotonic", "boot-a"}));
  CHECK(builder.clock({ClockKind::kVIRTUAL, "virtual", "boot-a"}) !=
        builder.clock({ClockKind::kVIRTUAL, "virtual", "boot-a"}));
}

TEST_CASE("facts about a rank come from several places; what is known stays") {
  TraceBuilder builder;
  builder.rank({RankId(1), -1, 0, -1, ""});
  builder.rank({RankId(1), 8, 5, 2, "host"});
  const Trace trace = builder.finish();
  REQUIRE(trace.ranks.size() == 1);
  CHECK(trace.ranks[0].world_size == 8);
  CHECK(trace.ranks[0].local_rank == 0);
  CHECK(trace.ranks[0].host == "host");
}

TEST_CASE("work is communication, compute or a copy by its stage and kind") {
  CHECK(activity_class(Stage::kDISPATCH, SpanKind::kKERNEL, CopyKind::kNONE) == ActivityClass::kCommunication);
  CHECK(activity_class(Stage::kL1, SpanKind::kWORK, CopyKind::kNONE) == ActivityClass::kCompute);
  CHECK(activity_class(Stage::kUNATTRIBUTED, SpanKind::kKERNEL, CopyKind::kNONE) == ActivityClass::kCompute);
  CHECK(activity_class(Stage::kMEMCPY, SpanKind::kCOPY, CopyKind::kD2H) == ActivityClass::kCopy);
  CHECK(activity_class(Stage::kMEMCPY, SpanKind::kCOPY, CopyKind::kP2P) == ActivityClass::kCommunication);
  CHECK(activity_class(Stage::kDISPATCH, SpanKind::kRANGE, CopyKind::kNONE) == ActivityClass::kNone);
  CHECK(activity_class(Stage::kALLREDUCE, SpanKind::kWAIT, CopyKind::kNONE) == ActivityClass::kNone);
}
