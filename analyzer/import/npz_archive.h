#pragma once
// SPDX-License-Identifier: Apache-2.0
// The arrays of a NumPy archive (.npz): a zip file of .npy members, stored or deflated.

#include <string>
#include <string_view>
#include <vector>

namespace moescope {

struct NpzArray {
  std::string name;   // without .npy
  std::string bytes;  // as an .npy file holds them
};

bool looks_like_npz(std::string_view head);
// All members. trouble says what is wrong with the archive, and none are given then.
std::vector<NpzArray> npz_arrays(std::string_view bytes, std::string* trouble);

}  // namespace moescope
