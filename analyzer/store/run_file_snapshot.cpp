// SPDX-License-Identifier: Apache-2.0
#include "analyzer/store/run_file_snapshot.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {

namespace fs = std::filesystem;

// What changes when a checkpoint moves pages from the -wal into the database, or starts the -wal afresh.
struct Fingerprint {
  std::int64_t size = -1, seconds = 0, nanoseconds = 0;
  std::array<char, 32> wal_header{};
  bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint(const std::string& path) {
  Fingerprint mark;
  struct stat info {};
  if (stat(path.c_str(), &info) == 0)
    mark.size = info.st_size, mark.seconds = info.st_mtim.tv_sec, mark.nanoseconds = info.st_mtim.tv_nsec;
  std::ifstream wal(path + "-wal", std::ios::binary);
  wal.read(mark.wal_header.data(), static_cast<std::streamsize>(mark.wal_header.size()));
  return mark;
}

// A fresh directory of our own, in the first of the places that takes one.
std::string private_directory() {
  std::vector<fs::path> places;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    places.emplace_back(fs::path(cache) / "moescope");
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    places.emplace_back(fs::path(home) / ".cache" / "moescope");
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  places.push_back(error ? fs::path("/tmp") : temporary);
  for (const fs::path& place : places) {
    fs::create_directories(place, error);
    std::string name = (place / ("moescope-read-" + std::string(6, 'X'))).string();
    if (mkdtemp(name.data())) return name;
  }
  return {};
}

bool has_content(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return !error && size > 0;
}

}  // namespace

RunFileSnapshot::RunFileSnapshot(const std::string& path) : readable_(path) {
  const std::string wal = path + "-wal";
  if (!has_content(wal)) return;
  directory_ = private_directory();
  if (directory_.empty())
    throw TraceError(path, "", "its -wal must be read from a copy, and no folder takes one",
                     "make $XDG_CACHE_HOME or $TMPDIR writable");
  readable_ = directory_ + "/run.moe.db";
  constexpr int kAttempts = 20;
  std::error_code error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Fingerprint before = fingerprint(path);
    fs::copy_file(path, readable_, fs::copy_options::overwrite_existing, error);
    if (!error) fs::copy_file(wal, readable_ + "-wal", fs::copy_options::overwrite_existing, error);
    if (error && !has_content(wal)) {  // the writer ended in the meantime and folded it in
      fs::remove_all(directory_, error);
      directory_.clear();
      readable_ = path;
      return;
    }
    if (error) break;
    if (fingerprint(path) == before) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string trouble =
      error ? "can't be copied for reading (" + error.message() + ")" : "is written to faster than it can be copied";
  fs::remove_all(directory_, error);
  throw TraceError(path, "", trouble, "try again, or wait for the job to end");
}

RunFileSnapshot::~RunFileSnapshot() {
  std::error_code error;
  if (!directory_.empty()) fs::remove_all(directory_, error);
}

}  // namespace moescope
