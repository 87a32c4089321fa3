// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/sections.h"

#include <array>

#include "analyzer/report/arrival_section.h"
#include "analyzer/report/collectives_section.h"
#include "analyzer/report/comm_rows_section.h"
#include "analyzer/report/diagnostics_section.h"
#include "analyzer/report/kernel_shapes_section.h"
#include "analyzer/report/structure_section.h"
#include "analyzer/report/unattributed_section.h"
#include "analyzer/report/user_rules_section.h"
#include "analyzer/report/waiting_section.h"

namespace moescope {
namespace {

using List = std::vector<Abstention>;

void no_links(const ReportInput& input, List& list) {
  list.push_back({"links", input.trace.link_samples.empty()
                               ? "no link counters in the record"
                               : "link counters are in the record; this version does not evaluate them"});
}
void no_device_state(const ReportInput&, List& list) {
  list.push_back({"device_state", "no clocks, power or throttle reasons are read in this version"});
}
void no_whatif(const ReportInput&, List& list) {
  list.push_back({"whatif", "this version has no what-if model"});
}
void no_findings(const ReportInput&, List& list) {
  list.push_back({"findings", "this version has no diagnosis"});
}

// THE list.
constexpr auto kSections = std::to_array<Section>({
    {"diagnostics", nullptr, diagnostics_json, nullptr},  // its text stands before the figures
    {"structure", structure_text, structure_json, nullptr},
    {"unattributed", unattributed_text, unattributed_json, nullptr},
    {"passes", passes_text, passes_json, nullptr},
    {"by_wave", by_wave_text, by_wave_json, nullptr},
    {"", waiting_text, nullptr, nullptr},
    {"kernel_shapes", kernel_shapes_text, kernel_shapes_json, nullptr},
    {"user_rules", user_rules_text, user_rules_json, nullptr},
    {"links", nullptr, nullptr, no_links},
    {"arrival", arrival_text, arrival_json, arrival_abstain},
    {"collectives", collectives_text, collectives_json, nullptr},
    {"device_state", nullptr, nullptr, no_device_state},
    {"whatif", nullptr, nullptr, no_whatif},
    {"findings", nullptr, nullptr, no_findings},
});

}  // namespace

std::span<const Section> sections() {
  return kSections;
}

}  // namespace moescope
