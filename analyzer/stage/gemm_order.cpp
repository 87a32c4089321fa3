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

// The GEMMs of one stretch, in runs parted by activations.
class Stretch {
 public:
  void gemm(std::size_t row) { run_.push_back(row); }

  void activation(Attribution& attribution) {
    if (!run_.empty()) {
      // Behind an earlier activation: the rest of what it came from, then as many as led to that one lead to this one.
      const std::size_t leading = first_run_ == 0 ? run_.size() : run_.size() > first_run_ ? first_run_ : 0;
      if (first_run_ == 0) first_run_ = run_.size();
      settle(run_.size() - leading, attribution);
    }
    behind_activation_ = true;
  }

  void end(Attribution& attribution) {
    settle(behind_activation_ ? run_.size() : 0, attribution);
    behind_activation_ = false;
    first_run_ = 0;
  }

 private:
  // The first ones of the run are behind the activation, the others before one.
  void settle(std::size_t behind, Attribution& attribution) {
    for (std::size_t i = 0; i < run_.size(); ++i) {
      const std::size_t row = run_[i];
      const bool back = is_backward(attribution.pass[row]);
      // One GEMM before the activation and two behind it: gate and up are apart, and up comes after gate's activation.
      const bool up = !back && i == 0 && behind == 2 && first_run_ == 1;
      const bool second = ((i < behind) != back) && !up;
      attribution.stage[row] = second ? Stage::kL2 : Stage::kL1;
      attribution.stages[row] = attribution.stage[row];
    }
    run_.clear();
  }

  std::vector<std::size_t> run_;
  std::size_t first_run_ = 0;  // its length, 0: none yet
  bool behind_activation_ = false;
};

}  // namespace

void order_expert_gemms(const Track& track, const std::vector<bool>& ambiguous, Attribution& attribution) {
  Stretch stretch;
  for (std::size_t row = track.first_row; row < track.first_row + track.rows; ++row) {
    if (ambiguous[row - track.first_row])
      stretch.gemm(row);
    else if (attribution.stage[row] == Stage::kACT)
      stretch.activation(attribution);
    else if (ends_stretch(attribution.stage[row], attribution.part[row]))
      stretch.end(attribution);
  }
  stretch.end(attribution);
}

}  // namespace moescope
