// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/trace_writer.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "collector/trace/pending_spans.h"
#include "collector/trace/run_file_rows.h"

namespace moescope::trace {
namespace {

struct ContextHash {
  std::size_t operator()(const ContextRow& row) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    for (std::int32_t field : {row.kind, row.copy_kind, row.stage, row.role, row.part, row.pass, row.step, row.layer,
                               row.micro_batch, row.wave, row.chunk, row.source, row.flags}) {
      hash = (hash ^ static_cast<std::uint32_t>(field)) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

std::string random_uuid() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex;
  }
  return text;
}

}  // namespace

struct TraceWriter::Impl {
  std::string path, build_path;  // build_path: where it is written until it is whole; empty with a durable WAL
  std::vector<SpanRow> spans;    // before database: it reads them until it is closed
  Database database;
  RunFileRows rows;
  Statement insert_spans, insert_quantities;
  std::unordered_map<std::string, std::int32_t> names;
  std::unordered_map<ContextRow, std::int32_t, ContextHash> contexts;
  std::map<std::string, NumberedDiagnosticRow> diagnostics;
  std::set<std::int32_t> groups;
  std::string key;  // scratch
  bool quantities = false, finished = false;
  std::int64_t written = 0, lost = 0, flushes = 0;
  std::string error;

  void fail(const std::string& reason) {
    if (error.empty()) error = reason;
  }

  // Runs f; a failed allocation costs the row, not the job.
  template <class F>
  void guarded(F f) noexcept {
    try {
      f();
    } catch (...) {
      ++lost;
    }
  }

  Status open(const RunRow& run, const ProcessRow& process, const Options& options) {
    if (!options.durable_wal) build_path = path + ".building-" + std::to_string(getpid());
    const std::string& target = build_path.empty() ? path : build_path;
    if (!build_path.empty()) {
      if (options.exclusive && access(path.c_str(), F_OK) == 0) return {path + ": " + std::strerror(EEXIST)};
      unlink(build_path.c_str());
    } else if (!options.exclusive) {
      unlink(path.c_str());
    }
    if (Status s = Database::open(target, Database::Mode::kCreateExclusive, &database); !s) return s;
    Status s = create_schema(run, process, options);
    if (s) return s;
    database = {};
    remove_files(target);
    return {target + ": " + s.error};
  }

  static void remove_files(const std::string& target) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) unlink((target + suffix).c_str());
  }

  Status create_schema(const RunRow& run, const ProcessRow& process, const Options& options) {
    // No fsync while it is being made: the job's disk may be busy, and there is nothing yet to lose.
    const std::string settings =
        std::string("PRAGMA page_size=16384;PRAGMA temp_store=MEMORY;PRAGMA synchronous=OFF;") +
        (options.durable_wal ? "PRAGMA journal_mode=WAL;" : "PRAGMA journal_mode=OFF;");
    if (Status s = database.execute(settings.c_str()); !s) return s;
    const std::string schema = std::string("BEGIN;") + raw_schema_sql() + enum_values_sql() +
                               "PRAGMA application_id=" + std::to_string(kApplicationId) +
                               ";PRAGMA user_version=" + std::to_string(kSchemaVersion) + ";";
    if (Status s = database.execute(schema.c_str()); !s) return s;
    Statement insert;
    if (Status s = database.prepare("INSERT INTO run VALUES(?,?,?,?,?,?,?,?,?,NULL,NULL)", &insert); !s) return s;
    insert.bind(1, std::int64_t{kSchemaVersion}).bind(2, std::string_view(run.tool_version));
    insert.bind(3, std::string_view(run.file_uuid.empty() ? random_uuid() : run.file_uuid));
    insert.bind(4, std::string_view(run.run_id)).bind(5, std::string_view(run.run_id_source)).bind(6, run.attempt);
    insert.bind(7, std::string_view(run.format)).bind(8, std::string_view(run.source_path));
    insert.bind(9, run.started_unix_ns);
    insert.step();
    if (!insert.ok()) return {database.error()};
    rows.process.add(process);
    if (!rows.process.write(database)) return {database.error()};
    rows.process.committed();
    if (Status s = database.execute("COMMIT"); !s) return s;
    if (options.durable_wal)
      if (Status s = database.execute("PRAGMA synchronous=NORMAL"); !s) return s;
    if (Status s = register_pending_spans(database, &spans); !s) return s;
    if (Status s = database.prepare("INSERT INTO span SELECT start_rel, dur, track, name, context, correlation "
                                    "FROM pending_span",
                                    &insert_spans);
        !s)
      return s;
    // Nothing is ever deleted, so spans have the rowids 1, 2, 3, ... in the order they were given.
    return database.prepare(
        "INSERT INTO span_quantity SELECT ?1 + rowid, bytes, flops FROM pending_span "
        "WHERE bytes >= 0 OR flops IS NOT NULL",
        &insert_quantities);
  }

  static bool run_once(Statement& statement) {
    statement.step();
    const bool fine = statement.ok();
    statement.reset();
    return fine;
  }

  bool write_spans() {
    if (spans.empty()) return true;
    if (!run_once(insert_spans)) return false;
    if (!quantities) return true;
    insert_quantities.bind(1, written + 1);
    return run_once(insert_quantities);
  }

  std::size_t pending() {
    std::size_t count = spans.size();
    rows.for_each([&](auto& table) { count += table.size(); });
    return count;
  }

  bool flush() {
    if (finished) return false;
    if (pending() == 0) return true;
    bool fine = static_cast<bool>(database.execute("BEGIN IMMEDIATE"));
    rows.for_each([&](auto& table) { fine = fine && table.write(database); });
    fine = fine && write_spans() && static_cast<bool>(database.execute("COMMIT"));
    if (fine) {
      written += static_cast<std::int64_t>(spans.size());
      ++flushes;
      rows.for_each([](auto& table) { table.committed(); });
    } else {
      fail(database.error());
      database.execute("ROLLBACK");
      lost += static_cast<std::int64_t>(spans.size());
      rows.for_each([&](auto& table) { lost += static_cast<std::int64_t>(table.failed()); });
    }
    spans.clear();
    quantities = false;
    return fine;
  }

  bool finish(std::int64_t ended_unix_ns, std::string_view end_kind) {
    bool fine = flush();
    Statement update;
    fine = static_cast<bool>(database.prepare("UPDATE run SET ended_unix_ns=?, end_kind=?", &update)) && fine;
    if (fine) fine = run_once(update.bind(1, ended_unix_ns).bind(2, end_kind));
    if (!fine) fail(database.error());
    update = {};
    insert_spans = {};
    insert_quantities = {};
    rows = RunFileRows();  // its statements hold the database open
    if (build_path.empty()) {
      // Leaving WAL mode folds the log into the file and removes -wal and -shm.
      const Status folded = database.execute("PRAGMA wal_checkpoint(TRUNCATE);PRAGMA journal_mode=DELETE;");
      if (!folded) fail(folded.error);
      fine = fine && folded;
    }
    database = {};
    finished = true;
    if (!build_path.empty()) fine = publish(fine);
    return fine;
  }

  bool publish(bool fine) {
    // link() fails where the name is taken, rename() would write over it.
    if (fine && ::link(build_path.c_str(), path.c_str()) != 0) {
      fail(path + ": " + std::strerror(errno));
      fine = false;
    }
    unlink(build_path.c_str());
    return fine;
  }
};

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

TraceWriter::~TraceWriter() {
  if (!impl_->finished && !impl_->build_path.empty()) {
    const std::string target = impl_->build_path;
    impl_.reset();
    Impl::remove_files(target);
  }
}

std::unique_ptr<TraceWriter> TraceWriter::create(const std::string& path, const RunRow& run, const ProcessRow& process,
                                                 const Options& options, std::string* error) {
  try {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    if (Status s = impl->open(run, process, options); !s) {
      if (error != nullptr) *error = s.error;
      return nullptr;
    }
    return std::unique_ptr<TraceWriter>(new TraceWriter(std::move(impl)));
  } catch (...) {
    if (error != nullptr) error->assign("out of memory");
    return nullptr;
  }
}

std::int32_t TraceWriter::name(std::string_view text, std::string_view domain) {
  std::int32_t id = 0;
  impl_->guarded([&] {
    std::string& key = impl_->key;
    key.assign(text);
    key += '\0';
    key += domain;
    if (const auto known = impl_->names.find(key); known != impl_->names.end()) {
      id = known->second;
      return;
    }
    const auto next = static_cast<std::int32_t>(impl_->names.size());
    impl_->rows.name.add({next, std::string(text), std::string(domain)});
    impl_->names.emplace(key, next);
    id = next;
  });
  return id;
}

std::int32_t TraceWriter::context(const ContextRow& row) {
  std::int32_t id = 0;
  impl_->guarded([&] {
    const auto next = static_cast<std::int32_t>(impl_->contexts.size());
    const auto [known, added] = impl_->contexts.emplace(row, next);
    if (added) impl_->rows.context.add({next, row});
    id = known->second;
  });
  return id;
}

void TraceWriter::process(const ProcessRow& row) {
  impl_->guarded([&] { impl_->rows.process.add(row); });
}
void TraceWriter::rank(const RankRow& row) {
  impl_->guarded([&] { impl_->rows.rank.add(row); });
}
void TraceWriter::device(const DeviceRow& row) {
  impl_->guarded([&] { impl_->rows.device.add(row); });
}
void TraceWriter::model(const ModelRow& row) {
  impl_->guarded([&] { impl_->rows.model.add(row); });
}
void TraceWriter::clock(const ClockRow& row) {
  impl_->guarded([&] { impl_->rows.clock.add(row); });
}
void TraceWriter::track(const TrackRow& row) {
  impl_->guarded([&] { impl_->rows.track.add(row); });
}
void TraceWriter::step(const StepRow& row) {
  impl_->guarded([&] { impl_->rows.step.add(row); });
}
void TraceWriter::comm_group(const CommGroupRow& row) {
  impl_->guarded([&] {
    if (!impl_->groups.insert(row.id).second) return;
    impl_->rows.comm_group.add(row);
    std::int32_t position = 0;
    for (std::int32_t rank : row.ranks) impl_->rows.comm_group_rank.add({row.id, position++, rank});
  });
}
void TraceWriter::link(const LinkRow& row) {
  impl_->guarded([&] { impl_->rows.link.add(row); });
}
void TraceWriter::clock_sync(const ClockSyncRow& row) {
  impl_->guarded([&] { impl_->rows.clock_sync.add(row); });
}
void TraceWriter::router_load(const RouterLoadRow& row) {
  impl_->guarded([&] { impl_->rows.router_load.add(row); });
}
void TraceWriter::peer_traffic(const PeerTrafficRow& row) {
  impl_->guarded([&] { impl_->rows.peer_traffic.add(row); });
}
void TraceWriter::collective(const CollectiveRow& row) {
  impl_->guarded([&] { impl_->rows.collective.add(row); });
}
void TraceWriter::expert_placement(const ExpertPlacementRow& row) {
  impl_->guarded([&] { impl_->rows.expert_placement.add(row); });
}
void TraceWriter::link_sample(const LinkSampleRow& row) {
  impl_->guarded([&] { impl_->rows.link_sample.add(row); });
}
void TraceWriter::device_sample(const DeviceSampleRow& row) {
  impl_->guarded([&] { impl_->rows.device_sample.add(row); });
}
void TraceWriter::diagnostic(const DiagnosticRow& row) {
  impl_->guarded([&] {
    const auto next = static_cast<std::int64_t>(impl_->diagnostics.size()) + 1;
    auto [known, added] =
        impl_->diagnostics.try_emplace(row.code + '\0' + row.detail, NumberedDiagnosticRow{next, row});
    if (!added) known->second.diagnostic.count += row.count;
    impl_->rows.diagnostic.add(known->second);
  });
}
void TraceWriter::span(const SpanRow& row) {
  impl_->guarded([&] {
    impl_->spans.push_back(row);
    impl_->quantities |= row.bytes >= 0 || row.flops >= 0;
  });
}

bool TraceWriter::flush() {
  bool fine = false;
  impl_->guarded([&] { fine = impl_->flush(); });
  return fine;
}

bool TraceWriter::finish(std::int64_t ended_unix_ns, std::string_view end_kind) {
  bool fine = false;
  if (!impl_->finished) impl_->guarded([&] { fine = impl_->finish(ended_unix_ns, end_kind); });
  return fine;
}

std::size_t TraceWriter::spans_pending() const {
  return impl_->spans.size();
}
std::int64_t TraceWriter::spans_written() const {
  return impl_->written;
}
std::int64_t TraceWriter::flushes() const {
  return impl_->flushes;
}
std::int64_t TraceWriter::rows_lost() const {
  return impl_->lost;
}
const std::string& TraceWriter::error() const {
  return impl_->error;
}

}  // namespace moescope::trace
