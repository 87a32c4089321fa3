#pragma once
// SPDX-License-Identifier: Apache-2.0
// Small Kineto texts, and what comes of them.

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "analyzer/import/importer.h"
#include "tests/support/process.h"

namespace moescope::test {

inline Trace load_kineto(const std::string& text, bool salvage = false) {
  const ScratchFolder folder;
  write_file(folder / "trace.json", text);
  ImportOptions options;
  options.salvage = salvage;
  return load_trace({folder / "trace.json"}, "auto", options);
}

// What refuses the text, from the file's name on; empty where nothing does.
inline std::string kineto_error(const std::string& text, bool salvage = false) {
  try {
    load_kineto(text, salvage);
  } catch (const TraceError& error) {
    const std::string what = error.what();
    return what.substr(what.find("trace.json"));
  }
  return {};
}

// more: further args, with a comma before.
inline std::string kernel_event(const std::string& name, const std::string& ts, const std::string& dur, int stream = 7,
                                const std::string& more = "") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": )" + std::to_string(stream) +
         R"(, "ts": )" + ts + R"(, "dur": )" + dur + R"(, "args": {"device": 0, "stream": )" + std::to_string(stream) +
         more + "}}";
}

inline std::string host_event(const std::string& category, const std::string& name, int ts, int dur,
                              const std::string& args = "") {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 100, "tid": 100, "ts": )" +
         std::to_string(ts) + R"(, "dur": )" + std::to_string(dur) + R"(, "args": {)" + args + "}}";
}

// before, after: other top-level keys, with their commas.
inline std::string kineto_text(const std::string& events, const std::string& before = "",
                               const std::string& after = "") {
  return "{" + before + "\"traceEvents\": [" + events + "]" + after + "}";
}

inline std::size_t row_named(const Trace& trace, std::string_view part) {
  for (std::size_t row = 0; row < trace.spans.size(); ++row)
    if (trace.name_of(row).find(part) != std::string_view::npos) return row;
  throw std::runtime_error("no span named " + std::string(part));
}

inline const Diagnostic* diagnostic_of(const Trace& trace, std::string_view code) {
  for (const Diagnostic& diagnostic : trace.diagnostics)
    if (diagnostic.code == code) return &diagnostic;
  return nullptr;
}

}  // namespace moescope::test
