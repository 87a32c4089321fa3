// SPDX-License-Identifier: Apache-2.0
// libFuzzer: a log of NCCL Inspector. It is read or refused in one line; what is read has spans that end after they
// begin and collectives that point at theirs.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "analyzer/import/importer.h"
#include "analyzer/metric/metrics.h"
#include "analyzer/stage/attribution.h"

using namespace moescope;

namespace {

// The importer reads files; this one has no place on a disk.
const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const int kFile = memfd_create("log", 0);
  static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
  if (kFile < 0 || ftruncate(kFile, 0) != 0 || pwrite(kFile, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return kPath;
}

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 16) return 0;
  const std::string& path = file_of(data, size);
  try {
    const Trace trace = load_trace({path}, "nccl-inspector", {});
    const auto spans = static_cast<std::int64_t>(trace.spans.size());
    for (std::size_t row = 0; row < trace.spans.size(); ++row)
      check(trace.spans.duration[row] >= 0 && trace.spans.bytes[row] >= -1);
    check(!trace.collectives.empty());
    for (const Collective& one : trace.collectives)
      check(one.span >= -1 && one.span < spans && one.rank.valid() && one.comm_group >= 0);
    analyze(trace, attribute(trace), {});
  } catch (const TraceError& error) {
    const std::string message = error.what();
    check(message.starts_with(path) && message.find('\n') == std::string::npos);
  }
  return 0;
}
