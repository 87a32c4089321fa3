// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/moe_shape.h"

#include <array>

namespace moescope::reference {
namespace {
// tiny: communication and computation take about as long, on the emulated rates and on two real cores alike.
// v4-*, v3, mixtral: published shapes, eight ranks; FP8 dispatch and BF16 combine, mixtral BF16 both ways. The rates
// are a data-sheet's dense peak (FP8; BF16 for mixtral) and one direction of its links. figure5: the stage times that a
// published figure's two speedups imply.
constexpr std::array<Preset, 6> kPresets{{
    {"tiny", "a demonstration for a laptop", {256, 128, 32, 4, 2, 512, 4}, 8, Dtype::kFp32, 4, 4, 32e9, 0.25e9, {}},
    {"v4-flash",
     "hidden 4096, intermediate 2048, 256 experts, top-6, 43 layers",
     {4096, 2048, 256, 6, 43, 8192, 8},
     1,
     Dtype::kBf16,
     1,
     2,
     1979e12,
     450e9,
     {}},
    {"v4-pro",
     "hidden 7168, intermediate 3072, 384 experts, top-6, 61 layers",
     {7168, 3072, 384, 6, 61, 8192, 8},
     1,
     Dtype::kBf16,
     1,
     2,
     1979e12,
     450e9,
     {}},
    {"v3",
     "hidden 7168, intermediate 2048, 256 experts and one shared, top-8, 58 layers",
     {7168, 2048, 256, 8, 58, 8192, 8, 1},
     1,
     Dtype::kBf16,
     1,
     2,
     1979e12,
     450e9,
     {}},
    {"mixtral",
     "hidden 4096, intermediate 14336, 8 experts, top-2, 32 layers",
     {4096, 14336, 8, 2, 32, 8192, 8},
     1,
     Dtype::kBf16,
     2,
     2,
     989e12,
     450e9,
     {}},
    {"figure5",
     "five stage times with a known answer, one layer on one rank",
     {0, 0, 0, 0, 1, 0, 1},
     1,
     Dtype::kFp32,
     4,
     4,
     0,
     0,
     StageTimes{1249, 3550, 1152, 1775, 2498}},
}};
}  // namespace

std::string_view name(Dtype dtype) {
  return dtype == Dtype::kFp32 ? "fp32" : "bf16";
}

std::span<const Preset> presets() {
  return kPresets;
}

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

}  // namespace moescope::reference
