#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the user has looked: Backspace goes back, and a gesture of many small moves counts as one place.

#include <cstddef>
#include <optional>
#include <vector>

namespace moescope::gui {

struct TimeView {
  double begin = 0, end = 0;  // ns relative to the run's start
  friend bool operator==(const TimeView&, const TimeView&) = default;
};

class NavigationStack {
 public:
  // Call before leaving `current`. Moves of one gesture (equal non-zero gesture number) leave one entry: the place
  // where the gesture began.
  void leave(TimeView current, unsigned gesture = 0);
  std::optional<TimeView> back();
  bool empty() const { return places_.empty(); }
  std::size_t depth() const { return places_.size(); }
  void clear();

 private:
  static constexpr std::size_t kDeepest = 200;
  std::vector<TimeView> places_;
  unsigned last_gesture_ = 0;
};

}  // namespace moescope::gui
