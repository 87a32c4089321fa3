#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes one run file. Used by the collector's flush thread (inside somebody's job: nothing here throws or prints) and
// by importers. One thread at a time. Spans are buffered and go in through one bulk INSERT a flush; small tables are
// written at the flush too, in the same transaction, so a killed process leaves whole flushes and nothing between.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "collector/trace/schema.h"

namespace moescope::trace {

class TraceWriter {
 public:
  struct Options {
    bool exclusive = true;  // O_EXCL: never write into a file that is there
    bool durable_wal =
        true;  // WAL while recording; false: one plain journal-less build of a file that is renamed when whole
  };
  // An empty file_uuid is made up here. Creates the file, writes schema, run and process and commits them before the
  // first row. nullptr on failure, with the reason in *error.
  static std::unique_ptr<TraceWriter> create(const std::string& path, const RunRow& run, const ProcessRow& process,
                                             const Options& options, std::string* error);
  ~TraceWriter();  // closes without finishing: the file reads as cut short
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Interning: the same content gives the same id, starting at 0. Ids are local to the file.
  std::int32_t name(std::string_view text, std::string_view domain = {});
  std::int32_t context(const ContextRow& row);

  void process(const ProcessRow& row);  // replaces what create() was given
  void rank(const RankRow& row);  // replaces an earlier row of the same key, as do device, model, clock, track, step
  void device(const DeviceRow& row);
  void model(const ModelRow& row);
  void clock(const ClockRow& row);
  void track(const TrackRow& row);
  void step(const StepRow& row);
  void comm_group(const CommGroupRow& row);  // the first row of an id holds
  void link(const LinkRow& row);
  void clock_sync(const ClockSyncRow& row);
  void router_load(const RouterLoadRow& row);
  void peer_traffic(const PeerTrafficRow& row);
  void collective(const CollectiveRow& row);
  void expert_placement(const ExpertPlacementRow& row);
  void link_sample(const LinkSampleRow& row);
  void device_sample(const DeviceSampleRow& row);
  void diagnostic(const DiagnosticRow& row);  // same code and detail: counts add up
  void span(const SpanRow& row);

  // Commits everything given so far. False when the disk refuses (full, quota): spans, loads, traffic and samples are
  // then dropped and counted in rows_lost(); rows that others point to (names, contexts, tracks, ...) are kept and
  // tried again at the next flush. The reason is in error().
  bool flush();
  std::size_t spans_pending() const;
  // Flushes, sets ended_unix_ns and end_kind, folds the WAL into the file, closes. The writer is done after this.
  bool finish(std::int64_t ended_unix_ns, std::string_view end_kind);

  std::int64_t spans_written() const;
  std::int64_t flushes() const;  // transactions committed
  std::int64_t rows_lost() const;
  const std::string& error() const;  // the first failure, empty while there is none

 private:
  struct Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace moescope::trace
