// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/structure_section.h"

#include <array>
#include <string_view>
#include <utility>

namespace moescope {
namespace {

using Facts = std::array<std::pair<std::string_view, const StructureFact*>, 4>;

Facts facts(const ReportInput& input) {
  const Structure& structure = input.attribution.structure;
  return {{{"steps", &structure.step_fact},
           {"layers", &structure.layer_fact},
           {"micro_batches", &structure.micro_batch_fact},
           {"waves", &structure.wave_fact}}};
}

}  // namespace

// Marks speak for themselves; what was found, or looked for in vain, is said.
void structure_text(const ReportInput& input, TextPage& page) {
  TextTable table({"", "", "confidence", ""}, 4);
  for (const auto& [what, fact] : facts(input)) {
    if (fact->origin == Origin::kMarked || fact->evidence.empty()) continue;
    std::string words(what);
    if (const std::size_t at = words.find('_'); at != std::string::npos) words[at] = '-';
    // A layer at a time, in one piece, is an answer; steps and layers that aren't found are a want.
    const bool want = what == "steps" || what == "layers";
    table.row({words,
               fact->known() ? std::string(name(fact->origin))
               : want        ? "not found"
                             : "none",
               fact->known() ? percent_text(fact->confidence) : "", fact->evidence});
  }
  if (table.empty()) return;
  page.title("Structure", "not marked in the record; found from how its kernels repeat");
  page.table_without_header(table);
}

void structure_json(const ReportInput& input, JsonWriter& json) {
  json.begin_object();
  for (const auto& [what, fact] : facts(input)) {
    json.key(what);
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("origin", name(fact->origin));
    if (fact->confidence >= 0) json.field("confidence", fact->confidence);
    json.field("evidence", fact->evidence);
    json.end_object();
  }
  json.end_object();
}

}  // namespace moescope
