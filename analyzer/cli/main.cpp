// SPDX-License-Identifier: Apache-2.0
// moescope: THE list of commands, and what becomes of their errors.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/cli/usage_error.h"
#include "analyzer/model/trace_error.h"

namespace moescope::cli {
namespace {

const Command* const kCommands[] = {
    &kRecord, &kImport, &kReport, &kCompare, &kGate, &kRules,
};

// Exactly one line, whatever the message holds.
int fail(std::string message, int code) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  message.erase(message.find_last_not_of(' ') + 1);
  std::fprintf(stderr, "moescope: %s\n", message.c_str());
  return code;
}

const Command* find_command(const std::string& name) {
  for (const Command* command : kCommands)
    if (command->name == name) return command;
  return nullptr;
}

std::string command_names() {
  std::string names;
  for (const Command* command : kCommands) names += (names.empty() ? "" : ", ") + std::string(command->name);
  return names;
}

int run(std::vector<std::string> arguments) {
  CLI::App app("Profiling and diagnostics for Mixture-of-Experts jobs", "moescope");
  Global global;
  app.set_version_flag("--version", std::string("moescope ") + MOESCOPE_VERSION, "Print the version and exit");
  app.add_flag("-q,--quiet", global.quiet, "No progress, no summaries");
  app.require_subcommand(0, 1);
  app.footer("moescope COMMAND --help says more about a command and shows examples.");
  std::map<CLI::App*, std::function<int()>> actions;
  for (const Command* command : kCommands) {
    CLI::App* const sub = app.add_subcommand(std::string(command->name), std::string(command->summary));
    sub->set_version_flag("--version", std::string("moescope ") + MOESCOPE_VERSION, "Print the version and exit");
    sub->add_flag("-q,--quiet", global.quiet, "No progress, no summaries");
    sub->footer("Examples:\n" + std::string(command->examples));
    actions[sub] = command->define(*sub, global);
  }

  const auto first = std::find_if(arguments.begin(), arguments.end(),
                                  [](const std::string& word) { return word.empty() || word.front() != '-'; });
  if (first != arguments.end() && find_command(*first) == nullptr)
    return fail("unknown command '" + *first + "'; there are " + command_names(), kBadInput);
  if (arguments.empty()) return fail("no command; there are " + command_names() + ", and moescope --help", kBadInput);
  // In compare, "--" parts the base's runs from the head's.
  if (first != arguments.end() && *first == "compare")
    std::replace(first, arguments.end(), std::string("--"), std::string("--head"));

  std::string command;
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(arguments);
    if (app.get_subcommands().empty())
      return fail("no command; there are " + command_names() + ", and moescope --help", kBadInput);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    for (const CLI::App* sub : app.get_subcommands()) command = sub->get_name();
    return fail((command.empty() ? "" : command + ": ") + error.what() + "; see moescope " +
                    (command.empty() ? "" : command + " ") + "--help",
                kBadInput);
  }
  const CLI::App* const chosen = app.get_subcommands().front();
  try {
    return actions.at(const_cast<CLI::App*>(chosen))();
  } catch (const UsageError& error) {
    return fail(chosen->get_name() + ": " + error.what() + "; see moescope " + chosen->get_name() + " --help",
                kBadInput);
  }
}

}  // namespace
}  // namespace moescope::cli

int main(int argc, char** argv) {
  using namespace moescope::cli;
  // What one column let go of is room for the next one: to have pages from the system again costs a tenth of a report.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const moescope::TraceError& error) {
    return fail(error.what(), kBadInput);
  } catch (const std::exception& error) {
    return fail(std::string("unexpected trouble, not yours: ") + error.what(), kToolFailed);
  } catch (...) {
    return fail("unexpected trouble, not yours", kToolFailed);
  }
}
