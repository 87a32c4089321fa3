#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whose meaning of "hidden" a report uses. It changes only what hides what, never which work is communication.

#include <optional>
#include <span>
#include <string_view>

#include "analyzer/metric/device_activity.h"

namespace moescope {

enum class Definition {
  kMoescope,   // compute hides communication
  kHta,        // the same; here so that a figure can be compared by name
  kTracelens,  // copies and memsets hide it too
  kNsys,       // each communication span by itself, summed: time under several at once counts several times
};
struct DefinitionName {
  Definition definition;
  std::string_view name, meaning;
};
std::span<const DefinitionName> definitions();
std::string_view name(Definition definition);
std::optional<Definition> definition_from_name(std::string_view text);

// What hides communication on a device.
IntervalSet hiders(const DeviceActivity& activity, Definition definition);

}  // namespace moescope
