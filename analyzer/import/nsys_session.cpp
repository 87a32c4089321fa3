// SPDX-License-Identifier: Apache-2.0
// Where and when an export was recorded, which process is which rank, and the devices' names.
#include <charconv>

#include "analyzer/import/nsys_import.h"

namespace moescope {
namespace {

constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::int64_t kLastInstant = std::int64_t{1} << 61;

std::int32_t small(std::int64_t value) {
  return value >= 0 && value < kMostRanks ? static_cast<std::int32_t>(value) : -1;
}

std::int32_t number(std::string_view text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? small(value) : -1;
}

// NAME="VALUE" of the environment the recorder was started with. Only these names are looked at: it may hold secrets.
std::map<std::string, std::string, std::less<>> launcher_variables(NsysFile& file) {
  static constexpr std::string_view kNames[] = {"RANK",
                                                "WORLD_SIZE",
                                                "LOCAL_RANK",
                                                "OMPI_COMM_WORLD_RANK",
                                                "OMPI_COMM_WORLD_SIZE",
                                                "OMPI_COMM_WORLD_LOCAL_RANK",
                                                "PMI_RANK",
                                                "PMI_SIZE",
                                                "SLURM_STEP_ID",
                                                "SLURM_PROCID",
                                                "SLURM_NTASKS",
                                                "SLURM_LOCALID"};
  std::map<std::string, std::string, std::less<>> found;
  if (!file.has("META_DATA_CAPTURE")) return found;
  for (NsysRows rows(file, "META_DATA_CAPTURE", {{"name"}, {"value"}}); rows.next();) {
    if (!rows.text(0).ends_with(":ENVIRONMENT_VARIABLE")) continue;
    const std::string_view pair = rows.text(1);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    for (const std::string_view name : kNames) {
      if (pair.substr(0, equals) != name) continue;
      std::string_view value = pair.substr(equals + 1);
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      found.try_emplace(std::string(name), value);
    }
  }
  return found;
}

// The recorder is often started once a rank, by the launcher: its environment is then the rank's. Where it recorded
// several ranks, its environment is that of none of them.
NsysRankSaid said_by_environment(NsysFile& file) {
  const auto variables = launcher_variables(file);
  const auto value = [&variables](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? -1 : number(found->second);
  };
  struct Launcher {
    std::string_view rank, size, local;
  };
  static constexpr Launcher kLaunchers[] = {
      {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
      {"PMI_RANK", "PMI_SIZE", ""},
      {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
  };
  for (const Launcher& one : kLaunchers) {
    if (one.rank == "SLURM_PROCID" && value("SLURM_STEP_ID") < 0) continue;  // a batch script's own, not a task's
    const std::int32_t rank = value(one.rank), size = value(one.size);
    if (rank >= 0 && (size < 0 || rank < size)) return {rank, size, value(one.local)};
  }
  return {};
}

// The largest communicator whose making was recorded is taken for the world.
std::map<std::int64_t, NsysRankSaid> said_by_nccl(const std::vector<NsysNcclCall>& calls) {
  std::map<std::int64_t, NsysRankSaid> said;
  for (const NsysNcclCall& call : calls) {
    if (call.ranks < 1 || call.rank < 0 || call.rank >= call.ranks || call.ranks >= kMostRanks) continue;
    NsysRankSaid& one = said[nsys_process_of(call.global_tid)];
    if (call.ranks > one.world_size) one = {small(call.rank), small(call.ranks), -1};
  }
  return said;
}

}  // namespace

void read_nsys_session(NsysImport& import) {
  if (import.file.has("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")) {
    NsysRows rows(import.file, "TARGET_INFO_SESSION_START_TIME", {{"utcEpochNs"}});
    if (rows.next()) {
      const std::int64_t base = rows.integer_or(0, 0);
      if (base > 0 && base < kLastInstant) import.base_ns = base;
    }
  }
  if (import.file.has("TARGET_INFO_SYSTEM_ENV")) {
    for (NsysRows rows(import.file, "TARGET_INFO_SYSTEM_ENV", {{"name"}, {"value"}}); rows.next();)
      if (rows.text(0) == "Hostname") import.host = rows.text(1);
    if (import.host == "localhost") import.host.clear();
  }
}

void settle_nsys_ranks(NsysImport& import) {
  const std::vector<std::int64_t> order = import.processes.ranked();
  std::map<std::int64_t, NsysRankSaid> said = said_by_nccl(import.nccl);
  if (order.size() == 1)
    if (const NsysRankSaid environment = said_by_environment(import.file); environment.rank >= 0)
      said[order.front()] = environment;
  // Wall clocks of two hosts are not one clock, and a session whose start isn't said has a clock of its own.
  Clock clock{ClockKind::kREALTIME, import.host.empty() ? "realtime" : "realtime of " + import.host, import.host};
  if (import.base_ns == 0) clock = {ClockKind::kMONOTONIC, "session time", ""};
  const ClockId id = import.builder.clock(std::move(clock));
  const std::size_t assumed = import.processes.settle(import.file.path(), id, said, import.host);
  if (assumed > 0) {
    std::string ranks;
    for (const std::int64_t process : order)
      ranks += (ranks.empty() ? "" : ", ") + std::string("process ") + std::to_string(nsys_pid(process)) + " is rank " +
               std::to_string(import.processes.rank_of(process).value);
    import.diagnostic("warning", "rank_assumed", assumed,
                      import.file.path() + ": does not say which rank is which; by its devices' order " + ranks);
  }
  for (const std::int64_t process : order)
    if (import.processes.devices_of(process).size() > 1)
      import.diagnostic("info", "process_of_several_devices", import.processes.devices_of(process).size(),
                        import.file.path() + ": process " + std::to_string(nsys_pid(process)) +
                            " drives several devices: they are one rank, each with figures of its own");
  if (import.file.has("ThreadNames")) {
    for (NsysRows rows(import.file, "ThreadNames", {{"nameId"}, {"globalTid"}}); rows.next();)
      if (const auto name = rows.integer(0))
        if (const std::int64_t thread = rows.integer_or(1, 0); import.processes.has_thread(thread))
          import.processes.name_thread(thread, import.strings.text(*name));
  }

  SourceFile file;
  file.path = import.file.path();
  file.format = "nsys";
  file.host = import.host;
  file.pid = order.size() == 1 && order.front() >= 0 ? nsys_pid(order.front()) : -1;
  file.started_unix_ns = import.base_ns;
  file.argv = "[]";
  import.builder.trace().files.push_back(std::move(file));
}

// Device numbers in activity tables are CUDA's, per process; TARGET_INFO_CUDA_DEVICE ties them to GPUs where CUDA
// hides some. Where that table is missing they are taken as equal, as they are when nothing is hidden.
void read_nsys_devices(NsysImport& import) {
  struct Gpu {
    std::string name;
    std::int32_t sms = -1;
  };
  std::map<std::int64_t, Gpu> gpus;
  if (import.file.has("TARGET_INFO_GPU"))
    for (NsysRows rows(import.file, "TARGET_INFO_GPU", {{"id"}, {"name"}, {"smCount"}}); rows.next();)
      gpus[rows.integer_or(0, 0)] = {std::string(rows.text(1)), small(rows.integer_or(2, -1))};
  if (import.file.has("TARGET_INFO_CUDA_DEVICE"))
    for (NsysRows rows(import.file, "TARGET_INFO_CUDA_DEVICE", {{"gpuId"}, {"cudaId"}, {"pid"}}); rows.next();)
      if (const auto gpu = rows.integer(0)) import.gpu_of[{rows.integer_or(2, -1), rows.integer_or(1, -1)}] = *gpu;
  for (const std::int64_t process : import.processes.ranked())
    for (const std::int32_t device : import.processes.devices_of(process)) {
      const auto gpu = gpus.find(import.gpu(process, device));
      Device row;
      row.key = {import.processes.rank_of(process), device};
      row.source = "import";
      if (gpu != gpus.end()) {
        row.name = gpu->second.name;
        row.sm_count = gpu->second.sms > 0 ? gpu->second.sms : -1;
      }
      import.builder.device(row);
    }
}

}  // namespace moescope
