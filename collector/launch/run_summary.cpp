// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/run_summary.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <vector>

#include "collector/trace/database.h"
#include "collector/trace/schema.h"

namespace moescope::launch {
namespace fs = std::filesystem;
using trace::Database;
using trace::Statement;
namespace {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::vector<fs::path> run_files(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (entry.path().string().ends_with(trace::kRunFileSuffix)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The process of a file HOST-PID-START.moe.db, where it lives on this host; 0 otherwise.
pid_t living_writer(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string host = host_name() + "-";
  if (!name.starts_with(host)) return 0;
  const long pid = std::strtol(name.c_str() + host.size(), nullptr, 10);
  return pid > 0 && (kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM) ? static_cast<pid_t>(pid) : 0;
}

bool has_log(const fs::path& file) {
  std::error_code error;
  return fs::exists(file.string() + "-wal", error);
}

bool is_being_written(const fs::path& file) {
  return has_log(file) && living_writer(file) != 0;
}

std::int64_t integer(Database& database, const char* sql) {
  Statement statement;
  if (!database.prepare(sql, &statement) || !statement.step()) return 0;
  return statement.integer(0);
}

void read_file(const fs::path& file, RunSummary& summary, std::set<std::int64_t>& ranks) {
  const bool living = is_being_written(file);
  Database database;
  if (!Database::open(file.string(), living ? Database::Mode::kReadOnly : Database::Mode::kReadWrite, &database)) {
    ++summary.unreadable;
    return;
  }
  if (!living && has_log(file)) database.execute("PRAGMA wal_checkpoint(TRUNCATE);PRAGMA journal_mode=DELETE;");
  if (integer(database, "SELECT count(*) FROM sqlite_master") == 0) {
    database = {};
    std::error_code error;
    if (!living && fs::file_size(file, error) == 0) fs::remove(file, error);  // killed before it had said anything
    return;
  }
  ++summary.files;
  if (living) {
    ++summary.still_written;
  } else if (integer(database, "SELECT count(*) FROM run WHERE ended_unix_ns IS NULL") > 0) {
    ++summary.cut_short;
  }
  summary.spans += integer(database, "SELECT coalesce(max(rowid), 0) FROM span");
  summary.dropped +=
      integer(database, "SELECT coalesce(sum(count), 0) FROM diagnostic WHERE code IN ('events_dropped', 'rows_lost')");
  summary.collector_cpu_ns += integer(
      database, "SELECT coalesce(sum(count), 0) FROM diagnostic WHERE code IN ('collector_cpu_ns', 'producer_cpu_ns')");
  summary.gpu_not_recorded +=
      integer(database, "SELECT count(*) FROM diagnostic WHERE code = 'gpu_records_not_collected'");
  Statement statement;
  if (database.prepare("SELECT rank FROM rank", &statement))
    while (statement.step()) ranks.insert(statement.integer(0));
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counted(std::int64_t number, const char* one, const char* many) {
  return grouped(number) + " " + (number == 1 ? one : many);
}

}  // namespace

RunSummary summarise_run(const std::string& directory, int patience_ms) {
  for (int waited = 0; waited < patience_ms; waited += 10) {
    const std::vector<fs::path> files = run_files(directory);
    if (std::none_of(files.begin(), files.end(), is_being_written)) break;
    usleep(10000);
  }
  RunSummary summary;
  std::set<std::int64_t> ranks;
  for (const fs::path& file : run_files(directory)) read_file(file, summary, ranks);
  summary.ranks = static_cast<std::int64_t>(ranks.size());
  return summary;
}

std::string summary_line(const RunSummary& summary, const std::string& directory, std::int64_t wall_ns,
                         const std::string& unreachable) {
  std::string line = "moescope: ";
  if (summary.files == 0) {
    line += "nothing was recorded: ";
    if (!unreachable.empty()) return line + "the command is " + unreachable + ", which no preload reaches";
    return line + "no process of the job used NVTX ranges, moescope annotations or CUDA";
  }
  line += counted(summary.spans, "span", "spans");
  if (summary.ranks > 0) line += " of " + counted(summary.ranks, "rank", "ranks");
  line += " in " + counted(summary.files, "file", "files") + " in " + directory + "; ";
  line += summary.dropped == 0 ? "nothing dropped" : grouped(summary.dropped) + " dropped";
  if (wall_ns > 0) {
    // Against time, not against the job's CPU time: a job that waits for GPUs uses little of that.
    const auto cpu = static_cast<double>(summary.collector_cpu_ns), wall = static_cast<double>(wall_ns);
    std::array<char, 96> cost;
    std::snprintf(cost.data(), cost.size(), "; the collector took %.1f ms of CPU in %.1f s, %.2f %% of a core",
                  cpu / 1e6, wall / 1e9, 100.0 * cpu / wall);
    line += cost.data();
  }
  if (summary.cut_short > 0) line += "; " + counted(summary.cut_short, "file was", "files were") + " cut short";
  if (summary.still_written > 0)
    line += "; " + counted(summary.still_written, "file is", "files are") + " still being written";
  if (summary.unreadable > 0) line += "; " + counted(summary.unreadable, "file", "files") + " can't be read";
  if (summary.gpu_not_recorded > 0) line += "; GPU activity is not recorded by this version";
  return line;
}

}  // namespace moescope::launch
