// SPDX-License-Identifier: Apache-2.0
// Kineto (the PyTorch profiler) and other Chrome trace JSON, plain or gzip, streamed through a window.
#include "analyzer/import/kineto.h"

#include "analyzer/import/byte_source.h"
#include "analyzer/import/decimal_time.h"
#include "analyzer/import/event_stream.h"
#include "analyzer/import/kineto_builder.h"
#include "analyzer/import/kineto_event.h"
#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {

// What some Kineto or Chrome trace has near its beginning, and few other files.
bool sniff(std::string_view head) {
  if (!is_json(head)) return false;
  for (const std::string_view mark : {"\"traceEvents\"", "\"schemaVersion\"", "\"deviceProperties\"",
                                      "\"distributedInfo\"", "\"displayTimeUnit\"", "\"ph\":"})
    if (head.find(mark) != std::string_view::npos) return true;
  return false;
}

void read(const std::string& path, const ImportOptions& options, TraceBuilder& builder) {
  const auto source = open_bytes(path, options.salvage ? OnEarlyEnd::kStop : OnEarlyEnd::kThrow);
  KinetoBuilder rows(path, builder);
  KinetoEventParser parser;
  const auto take = [&rows](const KinetoEvent& event) { rows.event(event); };

  EventStreamHandler handler;
  handler.events = [&](const EventRun& run) {
    const auto taken = parser.parse(run, path, take);
    rows.foresee(source->consumed(), source->size());
    if (options.progress) options.progress(source->consumed(), source->size());
    return taken;
  };
  handler.wanted = [](std::string_view key) {
    return key == "distributedInfo" || key == "deviceProperties" || key == "baseTimeNanoseconds" ||
           key == "host_name" || key == "hostname" || key == "traceName";
  };
  handler.top_level = [&rows](std::string_view key, std::string_view value) {
    if (key == "distributedInfo")
      rows.distributed(parse_distributed_info(value));
    else if (key == "deviceProperties")
      parse_device_properties(value, [&rows](const KinetoDevice& device) { rows.device(device); });
    else if (key == "traceName")
      rows.trace_name(parse_text(value));
    else if (key != "baseTimeNanoseconds")
      rows.host(parse_text(value));
    else
      rows.base_ns(integer_from_json(value).value_or(0));
  };
  const EventStreamResult result = read_event_stream(*source, path, options.salvage, handler);
  if (!result.saw_events_key && result.early_end.empty())
    throw TraceError(path, "", "JSON without traceEvents", "name a Kineto or Chrome trace");
  rows.early_end(result.early_end);
  rows.mended(parser.mended_bytes());
  rows.finish();
}

}  // namespace

bool is_json(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

const Importer& kineto_importer() {
  static constexpr Importer kImporter{"kineto", "PyTorch profiler and other Chrome trace JSON, plain or gzip", sniff,
                                      read};
  return kImporter;
}

}  // namespace moescope
