// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/run_directory.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace moescope::launch {
namespace fs = std::filesystem;
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// The id that a launcher gave to all processes of this job, where it also gave them ranks.
std::string shared_job_id() {
  struct Launcher {
    const char *id, *rank;
  };
  for (const Launcher launcher :
       {Launcher{"TORCHELASTIC_RUN_ID", "RANK"}, Launcher{"SLURM_JOB_ID", "SLURM_PROCID"},
        Launcher{"PMIX_NAMESPACE", "PMIX_RANK"}, Launcher{"OMPI_MCA_ess_base_jobid", "OMPI_COMM_WORLD_RANK"}})
    if (is_set(launcher.id) && is_set(launcher.rank)) return std::getenv(launcher.id);
  return {};
}

std::string random_id() {
  std::array<unsigned char, 8> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) bytes.fill(0);
  std::string text = std::to_string(time(nullptr)) + "-" + std::to_string(getpid()) + "-";
  for (const unsigned char byte : bytes) {
    std::array<char, 3> hex;
    std::snprintf(hex.data(), hex.size(), "%02x", byte);
    text += hex.data();
  }
  return text;
}

std::string name_after_now() {
  const time_t now = time(nullptr);
  tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  strftime(text.data(), text.size(), "run-%Y%m%d-%H%M%S", &local);
  return text.data();
}

}  // namespace

RunDirectory prepare_run_directory(const std::string& wanted) {
  RunDirectory run;
  const std::string shared = shared_job_id();
  std::error_code error;
  fs::path path = !wanted.empty() ? fs::path(wanted) : fs::path(shared.empty() ? name_after_now() : "run-" + shared);
  path = fs::absolute(path, error);
  if (error) {
    run.error = "the current directory is gone: " + error.message();
    return run;
  }
  run.path = path.string();
  if (shared.empty()) run.run_id = is_set("MOESCOPE_RUN_ID") ? std::getenv("MOESCOPE_RUN_ID") : random_id();
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    run.error = run.path + " is a file; give -o the name of a new directory";
  } else if (shared.empty() && fs::exists(path, error) && !fs::is_empty(path, error)) {
    run.error = run.path + " holds something already; give -o a new name, or remove it";
  } else {
    run.made = fs::create_directories(path, error);
    if (error) run.error = run.path + ": " + error.message();
    if (!error && access(run.path.c_str(), W_OK) != 0) run.error = run.path + " can't be written to";
  }
  return run;
}

}  // namespace moescope::launch
