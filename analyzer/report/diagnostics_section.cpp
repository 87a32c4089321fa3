// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/diagnostics_section.h"

#include <algorithm>
#include <vector>

namespace moescope {
namespace {

constexpr std::size_t kMostLines = 6;

// Errors, then what the reader of the record says, then the recorder's own warnings, of which there may be many.
int order(const Diagnostic& one) {
  if (one.severity == "error") return 0;
  return one.code == "recorder_warning" ? 2 : 1;
}

bool is_shown(const Diagnostic& one, const Trace& trace) {
  if (one.severity != "error" && one.severity != "warning") return false;
  return one.code != "rank_assumed" || trace.ranks.size() > 1;  // of a single rank it makes no difference
}

}  // namespace

void diagnostics_text(const ReportInput& input, TextPage& page) {
  std::vector<const Diagnostic*> shown;
  for (const Diagnostic& one : input.trace.diagnostics)
    if (is_shown(one, input.trace)) shown.push_back(&one);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Diagnostic* a, const Diagnostic* b) { return order(*a) < order(*b); });
  for (std::size_t i = 0; i < std::min(shown.size(), kMostLines); ++i) {
    const Diagnostic& one = *shown[i];
    std::string text = one.severity + ": " + (one.detail.empty() ? one.code : one.detail);
    if (one.count > 1) text += " (" + std::to_string(one.count) + ")";
    page.line(page.warn(text));
  }
  if (shown.size() > kMostLines)
    page.line(page.dim("... and " + std::to_string(shown.size() - kMostLines) + " more: --format json has them all"));
}

void diagnostics_json(const ReportInput& input, JsonWriter& json) {
  json.begin_array();
  for (const Diagnostic& one : input.trace.diagnostics) {
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("severity", one.severity);
    json.field("code", one.code);
    json.field("count", one.count);
    json.field("detail", one.detail);
    json.end_object();
  }
  json.end_array();
}

}  // namespace moescope
