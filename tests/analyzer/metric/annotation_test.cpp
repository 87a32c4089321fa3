// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/annotation_table.h"

#include "analyzer/metric/metrics.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::test;

TEST_CASE("annotations: communication by the range that launched it, whatever kernel ran") {
  HandTrace trace;
  const TrackId lane = trace.lane(0), link = trace.lane(0);
  trace.work(link, Stage::kDISPATCH, 0, 10);
  trace.work(link, Stage::kCOMBINE, 20, 40);
  trace.work(link, Stage::kCOMBINE, 60, 70);
  trace.work(link, Stage::kALLREDUCE, 80, 90);
  trace.work(lane, Stage::kL1, 30, 65);
  const NameId forward = trace.builder().name("dispatch(F)"), backward = trace.builder().name("dispatch(B)");
  const Trace done = trace.finish();
  Attribution attribution = as_said(done);
  for (std::size_t row = 0; row < done.spans.size(); ++row) {
    if (done.spans.start[row] == 0) attribution.annotation[row] = forward.value;
    if (done.context_of(row).stage == Stage::kCOMBINE || done.context_of(row).stage == Stage::kL1)
      attribution.annotation[row] = backward.value;
  }
  const Analysis analysis = analyze(done, attribution, {});
  REQUIRE(analysis.annotations.size() == 2);  // by name: (B) first; the all-reduce lay in no range
  CHECK(analysis.annotations[0].name == backward);
  CHECK(analysis.annotations[0].cells[0]->count == 2);
  CHECK(analysis.annotations[0].cells[0]->exposure.comm == 30);
  CHECK(analysis.annotations[0].cells[0]->exposure.exposed == 10 + 5);
  const auto hidden = evaluate_over_ranks(*find_metric(Grain::kAnnotation, "hidden_fraction"), analysis, 0);
  CHECK(hidden->median == Approx(0.5));
}
