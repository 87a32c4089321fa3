#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Kineto importer's row for importers.cpp.

#include "analyzer/import/importer.h"

namespace moescope {

const Importer& kineto_importer();
bool is_json(std::string_view head);  // an object or an array

}  // namespace moescope
