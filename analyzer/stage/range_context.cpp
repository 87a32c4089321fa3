// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/range_context.h"

#include "analyzer/model/launch_index.h"

namespace moescope {
namespace {

// What a range says of the work in it, on top of what the ranges around it say.
RangeSays inside(const Trace& trace, NameMeanings& meanings, std::size_t row, RangeSays around) {
  const Context& context = trace.context_of(row);
  around.name = trace.spans.name[row];
  const NameMeaning& meaning = meanings.of_range(around.name);
  if (context.role != Stage::kUNATTRIBUTED)
    around.stages = context.role;
  else if (context.stage != Stage::kUNATTRIBUTED)
    around.stages = context.stage;
  else if (meaning.known())
    around.stages = meaning.stages;
  if (context.pass != Pass::kUNKNOWN)
    around.pass = context.pass;
  else if (meaning.pass != Pass::kUNKNOWN)
    around.pass = meaning.pass;
  return around;
}

}  // namespace

bool is_user_range(const Trace& trace, std::size_t row) {
  const Context& context = trace.context_of(row);
  return context.kind == SpanKind::kRANGE && (context.flags & kContextOperator) == 0 &&
         !trace.name_of(row).starts_with("ProfilerStep#");
}

std::vector<RangeSays> range_contexts(const Trace& trace, NameMeanings& meanings) {
  const SpanTable& spans = trace.spans;
  std::vector<RangeSays> says(spans.size());
  struct Open {
    Ns end;
    RangeSays says;
  };
  std::vector<Open> open;
  for (const Track& track : trace.tracks) {
    open.clear();
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      while (!open.empty() && open.back().end <= spans.start[row]) open.pop_back();
      if (!open.empty()) says[row] = open.back().says;
      if (is_user_range(trace, row))
        open.push_back({spans.end(row), inside(trace, meanings, row, open.empty() ? RangeSays{} : open.back().says)});
    }
  }
  const LaunchIndex launches(trace);
  for (const Track& track : trace.tracks) {
    if (!track.is_execution()) continue;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row)
      if (const auto launch = launches.launch_of(row)) says[row] = says[*launch];
  }
  return says;
}

}  // namespace moescope
