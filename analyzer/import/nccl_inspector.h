#pragma once
// SPDX-License-Identifier: Apache-2.0
// NCCL Inspector's JSON lines: one completed operation of one communicator a line, one file a process. Operations
// become collectives; those with their kernels' times (a verbose dump) become spans too, on a lane a communicator.
//
//   {"header": {"id", "comm_name", "rank", "n_ranks"}, "metadata": {"hostname", "pid", ...},
//    "coll_perf": {"coll", "coll_sn", "coll_msg_size_bytes", "event_trace_ts", ...}}, or "p2p_perf" with "p2p_peer"

#include "analyzer/import/importer.h"

namespace moescope {

Importer nccl_inspector_importer();

}  // namespace moescope
