#pragma once
// SPDX-License-Identifier: Apache-2.0
// A command of `moescope`: a name, a line of help, examples, and a function that declares its options. main.cpp holds
// THE list.

#include <functional>
#include <string_view>

namespace CLI {
class App;
}

namespace moescope::cli {

struct Global {
  bool quiet = false;
};

// Exit codes every command keeps (interface.md).
inline constexpr int kDone = 0;
inline constexpr int kRegress = 1;       // gate only
inline constexpr int kBadInput = 2;      // wrong usage or unreadable input
inline constexpr int kInconclusive = 3;  // gate only
inline constexpr int kToolFailed = 4;

struct Command {
  std::string_view name, summary, examples;
  // Adds options to app and returns what to run once they are parsed; its result is the exit code. It may throw
  // TraceError (bad input, exit 2); anything else thrown is exit 4.
  std::function<int()> (*define)(CLI::App& app, const Global& global);
};

extern const Command kRecord, kImport, kReport, kCompare, kGate, kRules;

}  // namespace moescope::cli
