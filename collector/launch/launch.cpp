// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/launch.h"

#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/launch/job_process.h"
#include "collector/launch/preload_check.h"
#include "collector/launch/run_directory.h"
#include "collector/launch/run_summary.h"

namespace moescope::launch {
namespace {

constexpr int kStragglerPatienceMs = 500;

void say(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
}

int fail(const RunDirectory& run, const std::string& why, int status = kLauncherFailed) {
  if (run.made) rmdir(run.path.c_str());
  say("moescope record: " + why);
  return status;
}

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Another tool's injection stays: it was asked for before us.
void inject(const char* name, const std::string& collector, bool quiet, std::vector<Variable>& environment) {
  const std::string present = environment_value(name);
  if (present.empty() || present == collector) {
    environment.push_back({name, collector});
  } else if (!quiet) {
    say(std::string("moescope record: ") + name + " is set to " + present +
        " and left so: what comes that way is not recorded");
  }
}

std::vector<Variable> job_environment(const Options& options, const RunDirectory& run, const std::string& collector) {
  std::vector<Variable> environment;
  const std::string preload = environment_value("LD_PRELOAD");
  const bool there = (":" + preload + ":").find(":" + collector + ":") != std::string::npos;
  environment.push_back({"LD_PRELOAD", preload.empty() ? collector : there ? preload : preload + ":" + collector});
  inject("NVTX_INJECTION64_PATH", collector, options.quiet, environment);
  inject("CUDA_INJECTION64_PATH", collector, options.quiet, environment);
  environment.push_back({"MOESCOPE_OUT", run.path});
  if (!run.run_id.empty()) environment.push_back({"MOESCOPE_RUN_ID", run.run_id});
  if (options.flush_ms > 0) environment.push_back({"MOESCOPE_FLUSH_MS", std::to_string(options.flush_ms)});
  if (!options.enable.empty()) environment.push_back({"MOESCOPE_ENABLE", options.enable});
  if (options.quiet) environment.push_back({"MOESCOPE_LOG", "quiet"});
  for (const std::string& variable : options.environment) {
    const std::size_t equals = variable.find('=');
    environment.push_back({variable.substr(0, equals), variable.substr(equals + 1)});
  }
  return environment;
}

}  // namespace

int launch(const Options& options) {
  if (options.command.empty()) return fail({}, "no command; write it after --");
  for (const std::string& variable : options.environment)
    if (variable.find('=') == std::string::npos || variable.front() == '=')
      return fail({}, "--env " + variable + ": write NAME=VALUE");
  const std::string collector = find_collector();
  if (collector.empty()) return fail({}, "libmoescope.so is not beside this program nor in the lib folder next to it");
  if (const std::string complaint = try_preload(collector); !complaint.empty())
    return fail({}, collector + " can't be preloaded here: " + complaint);
  const RunDirectory run = prepare_run_directory(options.run_directory);
  if (!run.error.empty()) return fail(run, run.error);

  const JobEnd end = run_job(options.command, job_environment(options, run, collector));
  if (end.exec_error != 0)
    return fail(run, options.command.front() + ": " + std::strerror(end.exec_error),
                end.exec_error == ENOENT || end.exec_error == ENOTDIR ? kNotFound : kCannotExecute);
  const RunSummary summary = summarise_run(run.path, kStragglerPatienceMs);
  if (!options.quiet) {
    const std::string unreachable = summary.files == 0 ? why_unreachable(options.command.front()) : "";
    say(summary_line(summary, options.run_directory.empty() ? run.path : options.run_directory, end.wall_ns,
                     unreachable));
  }
  if (run.made && summary.files == 0) rmdir(run.path.c_str());
  return end.exit_code;
}

}  // namespace moescope::launch
