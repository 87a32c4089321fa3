#pragma once
// SPDX-License-Identifier: Apache-2.0
// Router counts and placements in JSON and JSON lines.

#include <string>
#include <string_view>

#include "analyzer/import/router_builder.h"

namespace moescope {

bool looks_like_router_json(std::string_view head);
bool looks_like_router_lines(std::string_view head);
void read_router_json(const std::string& path, std::string text, RouterBuilder& builder);
void read_router_lines(const std::string& path, const std::string& text, RouterBuilder& builder);

}  // namespace moescope
