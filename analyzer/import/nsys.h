#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Nsight Systems importer's row for importers.cpp.

#include "analyzer/import/importer.h"

namespace moescope {

const Importer& nsys_importer();

}  // namespace moescope
