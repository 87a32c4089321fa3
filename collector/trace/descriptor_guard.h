#pragma once
// SPDX-License-Identifier: Apache-2.0
// Inside a job, the files SQLite holds open are the job's to close: daemons close every descriptor they find, and the
// next file they open gets the same number. SQLite would then write our pages into it. So our descriptors are kept
// where few jobs look (800 and up), and whoever writes asks first whether they are still ours. One thread only.

namespace moescope::trace {

// For all databases opened from now on; forgets earlier ones. Call it before the first, and again in a forked child.
void install_descriptor_guard();
bool descriptors_intact();

}  // namespace moescope::trace
