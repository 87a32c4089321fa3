#pragma once
// SPDX-License-Identifier: Apache-2.0
// The length of a union of intervals that come in the order of their begins. Nothing is kept but the sum.

#include <limits>

#include "analyzer/model/time.h"

namespace moescope {

class UnionLength {
 public:
  void add(Interval one) {
    if (one.end <= end_ || one.empty()) return;
    total_ += one.end - (one.begin > end_ ? one.begin : end_);
    end_ = one.end;
  }
  Ns length() const { return total_; }
  // End of the latest; the least number while there is none.
  Ns end() const { return end_; }

 private:
  Ns total_ = 0, end_ = std::numeric_limits<Ns>::min();
};

}  // namespace moescope
