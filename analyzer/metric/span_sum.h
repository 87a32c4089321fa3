#pragma once
// SPDX-License-Identifier: Apache-2.0
// Sums over spans that come in the order of their begins: the length of their union, and what of it nothing hides.
// Nothing is kept but the sums, so that a figure of any group of spans costs a few instructions a span.

#include <limits>

#include "analyzer/metric/definition.h"
#include "analyzer/model/union_length.h"

namespace moescope {

// Communication of some rows under nothing that hides it. What hides is of the whole device, so that one step's
// communication may hide under another step's compute.
struct Exposure {
  Ns comm = 0, exposed = 0;                  // union
  Ns weighed_comm = 0, weighed_exposed = 0;  // span by span under nsys, else as above
};

// A span, and how much of what hides lies before its begin and before its end: of any stretch between two such points
// the difference is hidden.
struct HiddenSpan {
  std::size_t row = 0;
  Interval interval;
  Ns hidden_before_begin = 0, hidden_before_end = 0;
};

class ExposureSum {
 public:
  void add(const HiddenSpan& span) {
    const Interval one = span.interval;
    if (one.empty()) return;
    weighed_comm_ += one.length();
    weighed_exposed_ += one.length() - (span.hidden_before_end - span.hidden_before_begin);
    if (one.end <= end_) return;
    // What lies behind the union so far is new.
    const bool apart = one.begin >= end_;
    const Ns from = apart ? one.begin : end_;
    const Ns hidden_before = apart ? span.hidden_before_begin : hidden_before_end_;
    comm_ += one.end - from;
    exposed_ += one.end - from - (span.hidden_before_end - hidden_before);
    end_ = one.end;
    hidden_before_end_ = span.hidden_before_end;
  }
  Exposure exposure(Definition definition) const {
    if (definition == Definition::kNsys) return {comm_, weighed_exposed_, weighed_comm_, weighed_exposed_};
    return {comm_, exposed_, comm_, exposed_};
  }

 private:
  Ns comm_ = 0, exposed_ = 0, weighed_comm_ = 0, weighed_exposed_ = 0;
  Ns end_ = std::numeric_limits<Ns>::min(), hidden_before_end_ = 0;
};

}  // namespace moescope
