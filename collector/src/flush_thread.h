#pragma once
// SPDX-License-Identifier: Apache-2.0
// The collector's one thread. It alone makes the run file, reads the rings, writes; the job's threads never touch a
// disk.

namespace moescope::collector {

class Session;

// False where the system gives us no thread. The thread takes no signal of the job's.
bool start_flush_thread(Session* session);

}  // namespace moescope::collector
