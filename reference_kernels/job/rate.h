#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rates as people write them: 50GB/s, 400Gb/s (eight bits to the byte), 32e9, 989T. Decimal prefixes k M G T P.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moescope::reference {

std::optional<double> parse_byte_rate(std::string_view text);  // bytes a second; wants B/s or b/s
std::optional<double> parse_flop_rate(std::string_view text);  // FLOP/s; the unit FLOP/s may be left out
std::optional<std::vector<double>> parse_list(std::string_view text, std::size_t size);  // numbers >= 0, by commas
std::string format_byte_rate(double bytes_per_second);

}  // namespace moescope::reference
