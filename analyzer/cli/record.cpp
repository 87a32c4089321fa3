// SPDX-License-Identifier: Apache-2.0
// moescope record: see collector/launch.
#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/cli/command.h"
#include "collector/launch/launch.h"

namespace moescope::cli {
namespace {

std::function<int()> define(CLI::App& app, const Global& global) {
  auto options = std::make_shared<launch::Options>();
  app.add_option("-o,--output", options->run_directory, "the directory to record into; default: a new run-<time> here")
      ->type_name("RUN");
  app.add_option("--env", options->environment, "a variable for the job; may be given several times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--flush-ms", options->flush_ms, "how often the record is written out: what a kill may cost")
      ->type_name("MS")
      ->check(CLI::Range(1LL, 3600000LL));
  app.add_option("--enable", options->enable, "what to record, of nvtx and cupti; default: all (annotations always)")
      ->type_name("SOURCE,...");
  app.add_option("command", options->command, "the job, after --")->type_name("-- CMD ARG...")->required();
  return [options, &global] {
    options->quiet = global.quiet;
    return launch::launch(*options);
  };
}

}  // namespace

const Command kRecord = {"record", "Run a job with the collector in front of it",
                         "  moescope record -- torchrun --nproc-per-node 8 train.py\n"
                         "  moescope record -o base -- ./job --steps 20\n",
                         define};

}  // namespace moescope::cli
