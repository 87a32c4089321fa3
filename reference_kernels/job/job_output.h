#pragma once
// SPDX-License-Identifier: Apache-2.0
// A job's account of itself, for scripts (schema moescope.refmoe/1) and for people.

#include <string>

#include "reference_kernels/job/run_job.h"

namespace moescope::reference {

std::string json_account(const JobSpec& spec, const JobResult& result);
std::string text_account(const JobSpec& spec, const JobResult& result);

}  // namespace moescope::reference
