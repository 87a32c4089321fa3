// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metric/definition.h"

namespace moescope {
namespace {
constexpr DefinitionName kDefinitions[] = {
    {Definition::kMoescope, "moescope", "compute hides communication"},
    {Definition::kHta, "hta", "compute hides communication"},
    {Definition::kTracelens, "tracelens", "compute, copies and memsets hide communication"},
    {Definition::kNsys, "nsys", "compute hides communication; each communication span by itself, summed"},
};
}  // namespace

std::span<const DefinitionName> definitions() {
  return kDefinitions;
}

std::string_view name(Definition definition) {
  for (const DefinitionName& known : kDefinitions)
    if (known.definition == definition) return known.name;
  return "?";
}

std::optional<Definition> definition_from_name(std::string_view text) {
  for (const DefinitionName& known : kDefinitions)
    if (known.name == text) return known.definition;
  return std::nullopt;
}

IntervalSet hiders(const DeviceActivity& activity, Definition definition) {
  return definition == Definition::kTracelens ? activity.compute.unite(activity.copies) : activity.compute;
}

}  // namespace moescope
