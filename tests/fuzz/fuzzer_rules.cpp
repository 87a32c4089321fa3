// SPDX-License-Identifier: Apache-2.0
// libFuzzer: a rule file and, behind a zero byte, a name. The file is read or refused; what is read decides the same
// with the filter as without, and so do the builtin rules; and any name gives a shape or none.
#include <cstdlib>
#include <memory>

#include "analyzer/model/trace_error.h"
#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/kernel_shape.h"
#include "analyzer/stage/rule_file.h"
#include "analyzer/stage/rule_set.h"

using namespace moescope;

namespace {

void hold(const RuleSet& rules, const std::string& name) {
  for (const RuleKind kind : {RuleKind::kKernel, RuleKind::kRange, RuleKind::kCollective, RuleKind::kCopy})
    if (rules.first_match(kind, name) != rules.first_match_unfiltered(kind, name)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find('\0');
  const std::string name = readable_kernel_name(cut == std::string_view::npos ? text : text.substr(cut + 1));
  kernel_shape(name);
  dense_gemm_shape(name);
  hold(RuleSet::builtin(), name);
  UserRules user;
  try {
    parse_stage_rules(text.substr(0, cut), "fuzz.rules", user);
  } catch (const TraceError&) {
    if (!user.rules.empty() || !user.texts.empty()) std::abort();  // nothing half read
    return 0;
  }
  hold(RuleSet(user.rules), name);
  return 0;
}
