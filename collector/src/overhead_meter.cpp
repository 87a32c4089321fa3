// SPDX-License-Identifier: Apache-2.0
#include "collector/src/overhead_meter.h"

#include <time.h>

#include <algorithm>
#include <array>

#include "collector/src/thread_state.h"

namespace moescope::collector {
namespace {

std::uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// The median of a few batches of what an annotated begin does: read the clock, write a record with a short name.
double measure_event() {
  ChunkPool pool(8);
  SpscRing ring(&pool);
  std::array<double, 9> batches{};
  constexpr int kBatch = 32;
  for (double& batch : batches) {
    const std::int64_t before = monotonic_ns();
    for (int i = 0; i < kBatch; ++i) {
      void* room = ring.reserve(sizeof(BeginRecord) + 8, false);
      if (room == nullptr) return 0;
      auto* record = static_cast<BeginRecord*>(room);
      record->head.time = monotonic_ns();
      std::memcpy(record + 1, "dispatch", 8);
      ring.commit(sizeof(BeginRecord) + 8);
    }
    batch = static_cast<double>(monotonic_ns() - before) / kBatch;
  }
  std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
  return batches[batches.size() / 2];
}

}  // namespace

OverheadMeter::OverheadMeter() : ns_per_event_(measure_event()) {}

void OverheadMeter::add(trace::TraceWriter& writer, const char* severity, const char* code, std::uint64_t total,
                        std::uint64_t& reported, const char* detail) {
  if (total <= reported) return;
  writer.diagnostic({severity, code, static_cast<std::int64_t>(total - reported), detail});
  reported = total;
}

void OverheadMeter::report(const Counts& totals, trace::TraceWriter& writer) {
  add(writer, "info", "events_recorded", totals.recorded, reported_.recorded,
      "begins, ends and other records taken from the job's threads");
  add(writer, "warning", "events_dropped", totals.dropped, reported_.dropped,
      "came faster than they could be written out");
  add(writer, "warning", "unbalanced_ends", totals.unbalanced, reported_.unbalanced,
      "ends without a begin on their thread");
  add(writer, "warning", "rows_lost", totals.lost_by_disk, reported_.lost_by_disk, "the disk refused them");
  add(writer, "info", "collector_cpu_ns", thread_cpu_ns(), reported_.cpu, "CPU time of the flush thread");
  add(writer, "info", "producer_cpu_ns",
      static_cast<std::uint64_t>(static_cast<double>(totals.recorded) * ns_per_event_), reported_.producer,
      "estimate: events_recorded times the cost of one, measured at the start");
  add(writer, "info", "flush_count", static_cast<std::uint64_t>(writer.flushes()), reported_.flushes,
      "transactions committed");
}

}  // namespace moescope::collector
