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

// Marks speak for themselves, and what was not found stands among what is not known.
void structure_text(const ReportInput& input, TextPage& page) {
  TextTable table({"", "confidence", ""}, 3);
  for (const auto& [what, fact] : facts(input)) {
    if (!fact->known() || fact->origin == Origin::kMarked) continue;
    std::string words(what);
    if (const std::size_t at = words.find('_'); at != std::string::npos) words[at] = '-';
    table.row({words, percent_text(fact->confidence), fact->evidence});
  }
  if (table.empty()) return;
  page.title("Structure", "not marked in the record, but found: how sure, and from what");
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
