#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Kineto importer's row for importers.cpp.

#include "analyzer/import/importer.h"

namespace moescope {

const Importer& kineto_importer();

}  // namespace moescope
