// SPDX-License-Identifier: Apache-2.0
// libFuzzer: a file of router counts or placements. It is read or refused in one line; what is read has counts that are
// counts, and figures can be made of it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "analyzer/import/importer.h"
#include "analyzer/metric/analysis.h"

using namespace moescope;

namespace {

// The importer reads files; this one has no place on a disk.
const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const int kFile = memfd_create("router", 0);
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
    const Trace trace = load_trace({path}, "router", {});
    for (const RouterLoad& load : trace.router_loads)
      check(load.assigned >= load.kept && load.kept >= 0 && load.expert.valid());
    for (const ExpertPlacement& one : trace.expert_placements) check(one.logical >= 0 && one.rank.valid());
    const Analysis analysis = analyze(trace, attribute(trace), {});
    for (const RouterLayer& layer : analysis.router.layers)
      check(!layer.max_over_mean || *layer.max_over_mean >= 1 - 1e-9);
  } catch (const TraceError& error) {
    const std::string message = error.what();
    check(message.starts_with(path) && message.find('\n') == std::string::npos);
  }
  return 0;
}
