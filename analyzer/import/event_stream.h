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

// A run of elements of traceEvents as one JSON array text, "[{...},{...}]", in memory that may be written to and has
// kPadding readable bytes behind it.
struct EventRun {
  char* text;
  std::size_t size;
  std::uint64_t offset;       // of text in the (inflated) file
  std::size_t skip = 0;       // elements at its beginning that were taken already
  bool surely_whole = false;  // else its end was guessed, see below
};

struct EventStreamHandler {
  // Where a run ends is guessed first, at the last "},{" of the window, since looking for it costs nothing: the handler
  // reads the run anyway, and brackets that don't match tell it that the guess was wrong. Returns how many elements it
  // took (skipped ones included) and whether that was all, to the byte. After a wrong guess the run comes once more,
  // its end found by counting brackets; what is still wrong there is the file's fault, and the handler throws.
  struct Taken {
    std::size_t elements = 0;
    bool all = true;
  };
  std::function<Taken(const EventRun& run)> events;
  // A top-level key other than traceEvents, and its value's text. Called for keys that wanted() says yes to.
  std::function<bool(std::string_view key)> wanted;
  std::function<void(std::string_view key, std::string_view value)> top_level;
};

struct EventStreamResult {
  bool saw_events_key = false;
  std::string early_end;  // salvage only: why the text ended early; empty where it was whole
};

inline constexpr std::size_t kPadding = 64;
inline constexpr std::size_t kEventWindow = 512 * 1024;  // bytes: stays in the second-level cache while it is worked on

// Reads all of source: {"...": ..., "traceEvents": [...], ...} or a bare array of events. path is for messages. With
// salvage, a text that breaks off gives its complete events and early_end. Throws TraceError.
EventStreamResult read_event_stream(ByteSource& source, const std::string& path, bool salvage,
                                    const EventStreamHandler& handler, std::size_t window = kEventWindow);

namespace detail {
// Behind the last } of text that a comma and a { follow; 0 where there is none.
std::size_t last_boundary(std::string_view text);
// The hot loops, and the plain ones that they must agree with.
// The next byte that matters outside a string: a quote, or a bracket of either kind. end where there is none.
const char* next_structural(const char* at, const char* end);
const char* next_structural_plain(const char* at, const char* end);
// The next quote or backslash. end where there is none.
const char* next_in_string(const char* at, const char* end);
const char* next_in_string_plain(const char* at, const char* end);
}  // namespace detail

}  // namespace moescope
