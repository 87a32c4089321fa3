// SPDX-License-Identifier: Apache-2.0
// What the recorder says of itself, and what of its export is no part of our trace.
#include <algorithm>
#include <cctype>
#include <set>

#include "analyzer/import/nsys_import.h"

namespace moescope {
namespace {

constexpr std::int64_t kWarning = 2, kError = 3;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 400)) {
    const bool space = static_cast<unsigned char>(c) <= ' ';
    if (!space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool says(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](unsigned char a, unsigned char b) { return std::tolower(a) == b; }) != text.end();
}

// The only number of a text; 0 where there is none, or several.
std::uint64_t only_number(std::string_view text) {
  std::uint64_t number = 0;
  bool found = false;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      ++i;
      continue;
    }
    if (found) return 0;
    found = true;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i)
      if (number < (std::uint64_t{1} << 50)) number = number * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return number;
}

// What it couldn't record of things that we leave out anyway.
bool is_of_no_concern(std::string_view text) {
  static constexpr std::string_view kTopics[] = {"opengl", "vulkan", "perf event paranoid", "scheduling information",
                                                 "debuginfod"};
  return std::any_of(std::begin(kTopics), std::end(kTopics),
                     [text](std::string_view topic) { return says(text, topic); });
}

bool says_of_loss(std::string_view text) {
  return says(text, "dropped") || says(text, " lost") || says(text, "overflow");
}

void recorder_said(NsysImport& import) {
  if (!import.file.has("DIAGNOSTIC_EVENT")) return;
  std::map<std::pair<std::int64_t, std::string>, std::uint64_t> counts;  // every process says the same things
  std::uint64_t elsewhere = 0;
  for (NsysRows rows(import.file, "DIAGNOSTIC_EVENT", {{"severity"}, {"text"}, {"globalPid"}}); rows.next();) {
    const std::int64_t severity = rows.integer_or(0, 0), process = rows.integer_or(2, 0);
    const std::string text = one_line(rows.text(1));
    if (severity != kWarning && severity != kError && !says_of_loss(text)) continue;
    const bool of_a_process = process > 0 && nsys_pid(process) > 0;  // else of the session
    if (of_a_process && !import.processes.rank_of(nsys_process_of(process)).valid())
      ++elsewhere;
    else
      ++counts[{severity, text}];
  }
  for (const auto& [key, count] : counts) {
    const auto& [severity, text] = key;
    const bool lost = says_of_loss(text);
    const char* level = severity == kError ? "error" : !lost && is_of_no_concern(text) ? "info" : "warning";
    if (const std::uint64_t records = lost ? only_number(text) : 0; records > 0)
      import.diagnostic(level, "records_dropped", records * count, "recorder: " + text);
    else
      import.diagnostic(level,
                        lost                 ? "recorder_lost_records"
                        : severity == kError ? "recorder_error"
                                             : "recorder_warning",
                        count, "recorder: " + text);
  }
  if (elsewhere > 0)
    import.diagnostic("info", "recorder_warning", elsewhere, "recorder: warnings about processes without device work");
}

// Tables with rows of something that happened. Others hold names and the capture's own circumstances.
void left_out(NsysImport& import) {
  static const std::set<std::string> kRead = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                              "CUPTI_ACTIVITY_KIND_MEMCPY",
                                              "CUPTI_ACTIVITY_KIND_MEMSET",
                                              "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                              "CUPTI_ACTIVITY_KIND_RUNTIME",
                                              "CUPTI_ACTIVITY_KIND_DRIVER",
                                              "NVTX_EVENTS",
                                              "DIAGNOSTIC_EVENT",
                                              "GPU_METRICS",
                                              "NET_NIC_METRIC"};
  const auto holds_events = [](const std::string& table) {
    return table.starts_with("CUPTI_ACTIVITY_KIND_") || table.ends_with("_EVENTS") || table.ends_with("_API") ||
           table.ends_with("_EVENT") || table.ends_with("_METRIC") || table.ends_with("_METRICS") ||
           table == "PROFILER_OVERHEAD";
  };
  for (const std::string& table : import.file.tables()) {
    if (kRead.count(table) > 0 || !holds_events(table) || table.starts_with("TARGET_INFO_")) continue;
    if (const std::int64_t rows = import.file.rows(table); rows > 0)
      import.diagnostic("info", "table_left_out", static_cast<std::uint64_t>(rows),
                        "rows of " + table + " are not spans of ours");
  }
}

}  // namespace

void read_nsys_diagnostics(NsysImport& import) {
  recorder_said(import);
  left_out(import);
  const std::string& path = import.file.path();
  if (import.device_work > 0 && import.calls == 0)
    import.diagnostic("warning", "no_launch_side", import.device_work,
                      path + ": no call that launches its device work, so no range or step can claim it");
  if (import.without_time > 0)
    import.diagnostic("warning", "event_without_time", import.without_time,
                      path + ": events without usable start and end");
  if (import.left_out_host > 0)
    import.diagnostic("info", "event_left_out", import.left_out_host,
                      "ranges and calls of processes without device work");
  if (const std::uint64_t dangling = import.dangling + import.strings.dangling(); dangling > 0)
    import.diagnostic("warning", "name_missing", dangling, path + ": names that its StringIds lack");
}

}  // namespace moescope
