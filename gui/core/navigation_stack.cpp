// SPDX-License-Identifier: Apache-2.0
#include "gui/core/navigation_stack.h"

namespace moescope::gui {

void NavigationStack::leave(TimeView current, unsigned gesture) {
  const bool same_gesture = gesture != 0 && gesture == last_gesture_;
  last_gesture_ = gesture;
  if (same_gesture || (!places_.empty() && places_.back() == current)) return;
  if (places_.size() == kDeepest) places_.erase(places_.begin());
  places_.push_back(current);
}

std::optional<TimeView> NavigationStack::back() {
  last_gesture_ = 0;
  if (places_.empty()) return std::nullopt;
  const TimeView place = places_.back();
  places_.pop_back();
  return place;
}

void NavigationStack::clear() {
  places_.clear();
  last_gesture_ = 0;
}

}  // namespace moescope::gui
