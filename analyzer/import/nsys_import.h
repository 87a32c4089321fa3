#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the parts of the Nsight Systems importer share while they read one export, and the parts themselves in the order
// they are called: each reads its tables and leaves the rest alone.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/import/importer.h"
#include "analyzer/import/nsys_file.h"
#include "analyzer/import/nsys_processes.h"
#include "analyzer/import/nsys_strings.h"
#include "analyzer/model/trace.h"

namespace moescope {

// A call of NCCL as an NVTX range says it; what its payload doesn't say is -1.
struct NsysNcclCall {
  std::int64_t global_tid = 0;
  Ns start = 0, end = 0;
  std::string op;  // "AllReduce", "Send", "GroupStart", "CommInitRank", ...
  bool has_communicator = false;
  std::uint64_t communicator = 0;
  std::int64_t bytes = -1, peer = -1, root = -1, ranks = -1, rank = -1;
};

class NsysImport {
 public:
  NsysImport(const std::string& path, const ImportOptions& options, TraceBuilder& builder);

  // Adds base to start; false where the times are none, which is counted.
  bool times(std::optional<std::int64_t> start, std::optional<std::int64_t> end, Ns* from, Ns* duration);
  void span(Ns start, Ns duration, TrackId track, NameId name, ContextId context, std::int64_t correlation,
            std::int64_t bytes);
  void diagnostic(const char* severity, const char* code, std::uint64_t count, std::string detail);
  void progress(const NsysRows& rows) {  // after each row
    if ((rows.row() & 0xfff) == 0) tell_progress(rows.row());
  }
  void done(const std::string& table);  // its rows are all read

  const ImportOptions& options;
  TraceBuilder& builder;
  NsysFile file;
  NsysStrings strings;
  NsysProcesses processes;
  std::size_t first_row;
  std::int64_t base_ns = 0;  // of the session, on the wall clock
  std::string host;
  std::vector<NsysNcclCall> nccl;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpu_of;  // by pid and CUDA's device number
  // The GPU of the target that a process' device is.
  std::int64_t gpu(std::int64_t process, std::int32_t device) const {
    const auto found = gpu_of.find({nsys_pid(process), device});
    return found == gpu_of.end() ? device : found->second;
  }
  std::uint64_t without_time = 0, device_work = 0, calls = 0, graphs = 0, left_out_host = 0, dangling = 0;
  Ns first = 0, last = 0;

 private:
  void tell_progress(std::int64_t row);
  std::int64_t rows_done_ = 0, rows_in_all_ = 0;
};

void read_nsys_session(NsysImport& import);      // where and when: host, wall clock
void read_nsys_device_work(NsysImport& import);  // kernels, copies, memsets, whole graphs
void read_nsys_calls(NsysImport& import);        // CUDA runtime and driver
void read_nsys_nvtx(NsysImport& import);         // ranges, and NCCL's calls among them
void settle_nsys_ranks(NsysImport& import);
void settle_nsys_collectives(NsysImport& import);
void read_nsys_devices(NsysImport& import);      // names, sizes
void read_nsys_counters(NsysImport& import);     // GPU and NIC metrics
void read_nsys_diagnostics(NsysImport& import);  // the recorder's own, and what was left out

}  // namespace moescope
