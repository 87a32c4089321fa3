#pragma once
// SPDX-License-Identifier: Apache-2.0
// One element of traceEvents as plain values, and the parser that makes them from a run of events. The only file pair
// that sees simdjson.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/import/event_stream.h"

namespace moescope {

enum class KinetoCategory {
  kKernel,
  kCopy,
  kMemset,
  kRuntime,     // API calls on the host
  kOperator,    // ranges a framework puts around its operators
  kAnnotation,  // ranges the user named, and categories we don't know
  kLeftOut,     // see kineto_category()
};
inline constexpr std::size_t kKinetoCategories = 7;
// By the event's "cat", in the spellings of all generations. Left out: device copies of host annotations, device-side
// synchronisation records, Python stack frames, the profiler's own marks.
KinetoCategory kineto_category(std::string_view text);

// The profiler copies these from the framework's own record of a collective onto the kernel that does it; newer
// versions give more of them. Texts as written: lists may be cut ("[0, 1, ...]").
struct KinetoCollectiveArgs {
  std::string_view name, element_type, in_splits, out_splits;
  std::string_view group_name, group_description, group_ranks;
  std::int64_t elements_in = -1, elements_out = -1, group_size = -1, sequence = -1;
  std::int64_t source = -1, destination = -1;      // of point-to-point calls
  std::int64_t first_rank = -1, rank_stride = -1;  // of a group whose ranks are evenly apart
};

struct KinetoEvent {
  char phase = '\0';  // X, B, E, M, ...; '\0' none
  std::string_view category_text, name;
  std::string_view process, thread;      // numbers and strings alike, as text
  std::string_view timestamp, duration;  // microseconds as written
  // args
  std::string_view argument_name;  // of metadata: "name" or "labels"
  std::int64_t correlation = 0, device = -1, bytes = -1;
  std::int64_t sequence = -1;       // of operators: autograd's number, the same of a forward operator and its backward
  std::int64_t forward_thread = 0;  // of backward operators, in the framework's numbers; 0: not one
  std::string_view stream;
  std::string_view copy_direction;  // "DtoH": AMD's copies say it beside their name
  KinetoCollectiveArgs collective;
};

// Calls take for each element of a run (in place). The event's views hold until take returns. Control characters and
// invalid UTF-8 are overwritten with spaces and question marks.
class KinetoEventParser {
 public:
  KinetoEventParser();
  ~KinetoEventParser();
  // Throws TraceError{path, "byte N"} where an element of a run that is surely whole is not JSON.
  EventStreamHandler::Taken parse(const EventRun& run, const std::string& path,
                                  const std::function<void(const KinetoEvent&)>& take);
  std::uint64_t mended_bytes() const { return mended_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::uint64_t mended_ = 0;
};

// Facts from the top-level keys of a Kineto trace; small, so read whole.
struct KinetoGroup {
  std::string name, description;
  std::vector<std::int32_t> ranks;  // empty where it isn't given whole
};
struct KinetoDistributed {
  std::int64_t rank = -1, world_size = -1;
  std::string backend;
  std::vector<KinetoGroup> groups;
};
KinetoDistributed parse_distributed_info(std::string_view json);
struct KinetoDevice {
  std::int64_t id = -1, sm_count = -1;
  std::string name;
};
// A string, bare of quotes and escapes; empty for anything else.
std::string parse_text(std::string_view json);
void parse_device_properties(std::string_view json, const std::function<void(const KinetoDevice&)>& take);

}  // namespace moescope
