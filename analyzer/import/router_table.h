#pragma once
// SPDX-License-Identifier: Apache-2.0
// Router counts as tables: CSV with a header, NumPy arrays, and placements of zeros and ones.

#include <string>
#include <string_view>

#include "analyzer/import/router_builder.h"

namespace moescope {

bool looks_like_router_csv(std::string_view head);
bool looks_like_placement(std::string_view head);
bool looks_like_npy(std::string_view head);
void read_router_csv(const std::string& text, RouterBuilder& builder);
void read_placement(const std::string& text, RouterBuilder& builder);
void read_npy(std::string_view bytes, RouterBuilder& builder);

}  // namespace moescope
