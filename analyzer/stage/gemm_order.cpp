// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/gemm_order.h"

namespace moescope {
namespace {

bool is_backward(Pass pass) {
  return pass == Pass::kBACKWARD || pass == Pass::kBACKWARD_INPUT || pass == Pass::kBACKWARD_WEIGHT;
}

bool ends_stretch(Stage stage, Part part) {
  switch (stage) {
    case Stage::kPERMUTE:  // rows are moved; setting up a GEMM's arguments moves none
      return part != Part::kMETA;
    case Stage::kROUTER:
    case Stage::kDISPATCH:
    case Stage::kCOMBINE:
    case Stage::kUNPERMUTE:
    case Stage::kATTENTION:
    case Stage::kALLTOALL:
      return true;
    default:
      return false;
  }
}

}  // namespace

void order_expert_gemms(const Trace& trace, const std::vector<bool>& ambiguous, Attribution& attribution) {
  for (const Track& track : trace.tracks) {
    if (!track.is_execution()) continue;
    bool behind_activation = false;
    for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
      if (ambiguous[row]) {
        const bool second = behind_activation != is_backward(attribution.pass[row]);
        attribution.stage[row] = second ? Stage::kL2 : Stage::kL1;
        attribution.stages[row] = attribution.stage[row];
      } else if (attribution.stage[row] == Stage::kACT) {
        behind_activation = true;
      } else if (ends_stretch(attribution.stage[row], attribution.part[row])) {
        behind_activation = false;
      }
    }
  }
}

}  // namespace moescope
