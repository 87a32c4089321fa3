#pragma once
// SPDX-License-Identifier: Apache-2.0
// A run file as it can be read without touching the user's: itself where it is whole, else a private copy together
// with its -wal.
//
// SQLite reads a -wal through shared memory beside it (-shm), and may fold it into the database on close. Neither may
// happen to a record: it may lie on read-only media, be the evidence of a crash, or belong to a job that still runs. So
// a file with a -wal is copied, both parts, into a directory of our own under $XDG_CACHE_HOME/moescope or
// ~/.cache/moescope, or the system's temporary folder where neither can be written, and removed again after reading.
// A live writer may fold its -wal while we copy; we see that by the database's size and time and the -wal's header, and
// copy again.

#include <string>

namespace moescope {

class RunFileSnapshot {
 public:
  explicit RunFileSnapshot(const std::string& path);  // throws TraceError
  ~RunFileSnapshot();
  RunFileSnapshot(const RunFileSnapshot&) = delete;
  RunFileSnapshot& operator=(const RunFileSnapshot&) = delete;
  const std::string& readable_path() const { return readable_; }
  bool is_copy() const { return !directory_.empty(); }

 private:
  std::string readable_, directory_;
};

}  // namespace moescope
