#pragma once
// SPDX-License-Identifier: Apache-2.0
// The options that say what a figure is about, alike in every command that has them: --ranks, --steps, --layers,
// --definition, --per.

#include <string>

#include "analyzer/metric/definition.h"
#include "analyzer/metric/selection.h"
#include "analyzer/model/scope.h"

namespace CLI {
class App;
}

namespace moescope::cli {

class ScopeOptions {
 public:
  void add_to(CLI::App& app);
  Scope scope() const;            // throws UsageError
  Definition definition() const;  // throws UsageError
  Per per() const;                // throws UsageError

 private:
  std::string ranks_, steps_, layers_, definition_ = "moescope", per_ = "step";
};

// "text" of "text, json"; throws UsageError naming those there are.
void check_format(const std::string& format, const std::string& available);

}  // namespace moescope::cli
