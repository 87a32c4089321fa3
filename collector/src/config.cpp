// SPDX-License-Identifier: Apache-2.0
#include "collector/src/config.h"

#include <charconv>
#include <initializer_list>

namespace moescope::collector {
namespace {

bool parse(const std::string& text, std::int64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::int32_t number(const Environment& environment, const char* name) {
  std::int64_t value = -1;
  return name != nullptr && parse(environment.get(name), value) && value >= 0 && value <= INT32_MAX
             ? static_cast<std::int32_t>(value)
             : -1;
}

// How launchers tell a process its place, in the order in which they are asked: a framework knows better than the
// launcher below it.
struct Launcher {
  const char *rank, *world_size, *local_rank, *node;
};
constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "GROUP_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", nullptr},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", nullptr},
    {"PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK", nullptr},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NODEID"},
};

void read_rank(const Environment& environment, Config& config) {
  for (const Launcher& launcher : kLaunchers) {
    const std::int32_t rank = number(environment, launcher.rank);
    if (rank < 0) continue;
    config.rank = rank;
    config.rank_source = launcher.rank;
    config.world_size = number(environment, launcher.world_size);
    config.local_rank = number(environment, launcher.local_rank);
    config.node = number(environment, launcher.node);
    return;
  }
}

void read_run_id(const Environment& environment, Config& config) {
  struct Source {
    const char *variable, *name;
  };
  for (const Source source : {Source{"MOESCOPE_RUN_ID", "moescope"}, Source{"SLURM_JOB_ID", "slurm"},
                              Source{"TORCHELASTIC_RUN_ID", "torchelastic"}, Source{"PMIX_NAMESPACE", "mpi"},
                              Source{"OMPI_MCA_ess_base_jobid", "mpi"}}) {
    config.run_id = environment.get(source.variable);
    if (config.run_id.empty() || config.run_id == "none") continue;  // torchrun's default id says nothing
    config.run_id_source = source.name;
    if (std::string(source.variable) == "SLURM_JOB_ID" && environment.has("SLURM_STEP_ID"))
      config.run_id += "." + environment.get("SLURM_STEP_ID");
    return;
  }
  config.run_id.clear();
}

bool listed(const std::string& list, std::string_view word) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (std::string_view(list).substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

Config read_config(const Environment& environment) {
  Config config;
  config.directory = environment.get("MOESCOPE_OUT");
  if (std::int64_t ms = 0; parse(environment.get("MOESCOPE_FLUSH_MS"), ms) && ms >= 1 && ms <= 3600000)
    config.flush_ms = ms;
  if (environment.has("MOESCOPE_ENABLE")) {
    const std::string list = environment.get("MOESCOPE_ENABLE");
    config.nvtx = listed(list, "nvtx");
    config.cuda = listed(list, "cupti");
  }
  config.quiet = environment.get("MOESCOPE_LOG") == "quiet";
  read_run_id(environment, config);
  for (const char* name : {"TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"})
    if (std::int64_t count = 0; parse(environment.get(name), count) && count > 0) config.attempt = count;
  read_rank(environment, config);
  if (config.directory.empty()) config.directory = "moescope-run" + (config.run_id.empty() ? "" : "-" + config.run_id);
  return config;
}

}  // namespace moescope::collector
