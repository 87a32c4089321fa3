#pragma once
// SPDX-License-Identifier: Apache-2.0
// Microseconds as written in a JSON text, to integer nanoseconds, by decimal arithmetic: a double loses a quarter of a
// microsecond at today's epoch times.

#include <cstdint>
#include <optional>
#include <string_view>

namespace moescope {

// "12", "12.3456", "\"12.5\"", "1.74e15", with spaces around. Digits below a nanosecond are dropped (towards zero).
// nullopt: not a number, or beyond what 64 bits of nanoseconds hold.
std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text);

// An integer, bare or in quotes; nullopt for anything else.
std::optional<std::int64_t> integer_from_json(std::string_view text);

}  // namespace moescope
