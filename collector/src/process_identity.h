#pragma once
// SPDX-License-Identifier: Apache-2.0
// Who this process is: the row of the process table. Read from /proc, by the flush thread.

#include <string>
#include <vector>

#include "collector/trace/schema.h"

namespace moescope::collector {

trace::ProcessRow describe_process(std::int64_t image_start_ns, const std::string& rank_source);

// A JSON array in which what looks like a secret is "***": the value of NAME=VALUE and of --name VALUE where the name
// has token, secret, password, passwd, credential or key in it, in any case.
std::string masked_json(const std::vector<std::string>& argv);

}  // namespace moescope::collector
