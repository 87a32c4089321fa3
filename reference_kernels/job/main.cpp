// SPDX-License-Identifier: Apache-2.0
// moescope-refmoe: parse, run, print, and the exit status.
#include <cstdio>
#include <exception>
#include <thread>

#include "reference_kernels/job/job_output.h"
#include "reference_kernels/job/options.h"
#include "reference_kernels/job/run_job.h"

namespace {

constexpr int kDone = 0, kCheckFailed = 1, kWrongUsage = 2, kJobFailed = 4;

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

int run(const moescope::reference::Command& command) {
  using namespace moescope::reference;
  const JobSpec& spec = command.spec;
  const unsigned cores = std::thread::hardware_concurrency();
  if (spec.clock == ClockKind::kReal && cores != 0 && static_cast<unsigned>(spec.shape.ranks) > cores &&
      !command.quiet) {
    std::fprintf(stderr,
                 "moescope-refmoe: note: %d ranks share %u cores; their compute times include waiting for one\n",
                 spec.shape.ranks, cores);
  }
  const JobResult result = run_job(spec);
  if (command.json) {
    print(json_account(spec, result));
  } else if (!command.quiet) {
    print(text_account(spec, result));
  }
  // Written so that a NaN fails.
  if (result.oracle_gradient_rel_l2 && !(*result.oracle_gradient_rel_l2 <= oracle_tolerance(spec.dtype))) {
    std::fprintf(stderr,
                 "moescope-refmoe: check failed: gradients are %.3e (rel-L2) off the oracle's, at most %g is right\n",
                 *result.oracle_gradient_rel_l2, oracle_tolerance(spec.dtype));
    return kCheckFailed;
  }
  if (result.oracle_rel_l2 && !(*result.oracle_rel_l2 <= oracle_tolerance(spec.dtype))) {
    std::fprintf(stderr, "moescope-refmoe: check failed: rel-L2 %.3e to the oracle, at most %g is right\n",
                 *result.oracle_rel_l2, oracle_tolerance(spec.dtype));
    return kCheckFailed;
  }
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace moescope::reference;
  try {
    const Command command = parse_command(argc, argv);
    if (command.kind == Command::Kind::kText) return print(command.text), kDone;
    if (command.kind == Command::Kind::kList) return print(list_text()), kDone;
    return run(command);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "moescope-refmoe: %s\n", error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "moescope-refmoe: internal error: %s\n", error.what());
    return kJobFailed;
  }
}
