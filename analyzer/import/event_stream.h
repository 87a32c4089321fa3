#pragma once
// SPDX-License-Identifier: Apache-2.0
// Cuts a Chrome trace JSON of any length into pieces that fit a window: runs of whole events, and the values of chosen
// top-level keys. It knows strings and brackets, nothing else; what is inside an event is the handler's business.
// Memory: the window, or the largest single event where that is longer.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "analyzer/import/byte_source.h"

namespace moescope {

struct EventStreamHandler {
  // A run of elements of traceEvents as one JSON array text, "[{...},{...}]", in memory that may be written to and has
  // kPadding readable bytes behind it. offset: where text.data() lies in the (inflated) file.
  std::function<void(char* text, std::size_t size, std::uint64_t offset)> events;
  // A top-level key other than traceEvents, and its value's text. Called for keys that wanted() says yes to.
  std::function<bool(std::string_view key)> wanted;
  std::function<void(std::string_view key, std::string_view value)> top_level;
};

struct EventStreamResult {
  bool saw_events_key = false;
  std::string early_end;  // salvage only: why the text ended early; empty where it was whole
};

inline constexpr std::size_t kPadding = 64;

// Reads all of source: {"...": ..., "traceEvents": [...], ...} or a bare array of events. path is for messages. With
// salvage, a text that breaks off gives its complete events and early_end. Throws TraceError.
EventStreamResult read_event_stream(ByteSource& source, const std::string& path, bool salvage,
                                    const EventStreamHandler& handler, std::size_t window = 1 << 20);

// The hot loops, and the plain ones that they must agree with.
namespace detail {
// The next byte that matters outside a string: a quote, or a bracket of either kind. end where there is none.
const char* next_structural(const char* at, const char* end);
const char* next_structural_plain(const char* at, const char* end);
// The next quote or backslash. end where there is none.
const char* next_in_string(const char* at, const char* end);
const char* next_in_string_plain(const char* at, const char* end);
}  // namespace detail

}  // namespace moescope
