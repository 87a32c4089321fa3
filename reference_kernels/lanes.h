#pragma once
// SPDX-License-Identifier: Apache-2.0
// The lanes of a rank: one for each engine, but several where the compute engine has several workers. Lane numbers are
// what stamps, threads and recordings go by.

#include <string>
#include <vector>

#include "reference_kernels/schedule/task.h"

namespace moescope::reference {

class Lanes {
 public:
  Lanes(const EngineMap& engines, int compute_workers = 1) {  // NOLINT: implicit by design
    const int compute = engines.engine(Stage::kL1);
    for (int engine = 0; engine < engines.count; ++engine) {
      const int workers = engine == compute ? compute_workers : 1;
      for (int worker = 0; worker < workers; ++worker) {
        engines_.push_back(engine);
        std::string name(engines.names[static_cast<std::size_t>(engine)]);
        names_.push_back(workers > 1 ? name + " " + std::to_string(worker) : name);
      }
    }
  }
  int total() const { return static_cast<int>(engines_.size()); }
  int engine(int lane) const { return engines_[static_cast<std::size_t>(lane)]; }
  const std::string& name(int lane) const { return names_[static_cast<std::size_t>(lane)]; }

 private:
  std::vector<int> engines_;
  std::vector<std::string> names_;
};

}  // namespace moescope::reference
