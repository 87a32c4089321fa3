#pragma once
// SPDX-License-Identifier: Apache-2.0
// The option that puts a user's stage rules on top of the builtin ones.

#include <memory>
#include <string>
#include <vector>

#include "analyzer/stage/rule_set.h"

namespace CLI {
class App;
}

namespace moescope::cli {

class StageRuleOption {
 public:
  // name: "--rules", or another where a command means something else by that.
  void add_to(CLI::App& app, const std::string& name);
  // The files given, else the file that MOESCOPE_RULES names, else the builtin rules alone. Throws TraceError.
  std::shared_ptr<const RuleSet> load() const;

 private:
  std::vector<std::string> files_;
};

}  // namespace moescope::cli
