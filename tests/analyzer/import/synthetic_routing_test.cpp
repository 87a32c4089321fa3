// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/synthetic_routing.h"

#include <algorithm>

#include "analyzer/import/importer.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

Trace even(int instances, int experts, int tokens) {
  Trace trace;
  for (int i = 0; i < instances; ++i)
    for (int e = 0; e < experts; ++e)
      for (int rank = 0; rank < 2; ++rank)  // one expert's tokens over ranks are added up
        trace.router_loads.push_back({StepId(i / 2), LayerId(i % 2), MicroBatchId(), RankId(rank), ExpertId(e),
                                      Side::kRECEIVED, rank == 0 ? e : tokens - e, 0});
  return trace;
}
int routing(Trace trace) {
  settle_synthetic_routing(trace);
  const bool said = std::any_of(trace.diagnostics.begin(), trace.diagnostics.end(),
                                [](const Diagnostic& one) { return one.code == "synthetic_routing"; });
  const int routing = trace.model ? trace.model->synthetic_routing : -1;
  CHECK(said == (routing == 1));
  return routing;
}
Trace load(const std::string& text) {
  const test::ScratchFolder folder;
  test::write_file(folder / "loads.json", text);
  return load_trace({folder / "loads.json"}, "auto", {});
}

}  // namespace

TEST_CASE("exactly even counts in every instance look forced, if there are some") {
  CHECK(routing(even(8, 4, 16)) == 1);
  CHECK(routing(even(7, 4, 16)) == -1);
  CHECK(routing(even(8, 1, 16)) == -1);  // one expert is always even
  Trace one_off = even(40, 4, 16);
  one_off.router_loads[17].assigned += 1;
  CHECK(routing(one_off) == -1);
  Trace skipped = even(9, 4, 16);  // a layer without experts says nothing
  for (std::size_t i = 0; i < 8; ++i) skipped.router_loads[i].assigned = 0;
  CHECK(routing(skipped) == 1);
  Trace known = even(8, 4, 16);
  known.model = Model{};
  known.model->synthetic_routing = 0;  // the record knows better
  settle_synthetic_routing(known);
  CHECK(known.model->synthetic_routing == 0);
  CHECK(known.diagnostics.empty());
}

TEST_CASE("what a record says of its routing is taken") {
  CHECK(load(R"({"synthetic_routing": true, "logical_count": [[5, 1]]})").model->synthetic_routing == 1);
  CHECK(load(R"({"synthetic_routing": false, "logical_count": [[5, 1]]})").model->synthetic_routing == 0);
  CHECK(load(R"({"logical_count": [[5, 1]]})").model->synthetic_routing == -1);
  CHECK(load("{\"layer\": 0, \"tpe\": [5, 1], \"moe_router_force_load_balancing\": true}\n").model->synthetic_routing ==
        1);
  Trace named = even(1, 4, 16);
  named.names = {"aten::mm", "RandomSTE"};
  CHECK(routing(named) == 1);
  named.names = {"aten::mm", "RandomSampler"};
  CHECK(routing(named) == -1);
}
