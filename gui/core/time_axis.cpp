// SPDX-License-Identifier: Apache-2.0
#include "gui/core/time_axis.h"

#include <algorithm>

namespace moescope::gui {
namespace {

constexpr double kClosestNs = 10;  // a view is never shorter than this

}  // namespace

TimeAxis::TimeAxis(double length_ns, double width_px)
    : length_(std::max(length_ns, kClosestNs)), width_(std::max(width_px, 1.0)) {
  show_all();
}

bool TimeAxis::shows_all() const {
  return begin_ <= 0 && end() >= length_;
}

void TimeAxis::set_width(double width_px) {
  const double last = end();
  width_ = std::max(width_px, 1.0);
  ns_per_pixel_ = (last - begin_) / width_;
}

void TimeAxis::set_length(double length_ns) {
  length_ = std::max(length_ns, kClosestNs);
  clamp();
}

void TimeAxis::show(double begin_ns, double end_ns) {
  if (end_ns < begin_ns) std::swap(begin_ns, end_ns);
  begin_ = begin_ns;
  ns_per_pixel_ = (end_ns - begin_ns) / width_;
  clamp();
}

void TimeAxis::show_all() {
  show(-margin(), length_ + margin());
}

void TimeAxis::zoom_about(double pixel, double factor) {
  if (!(factor > 0)) return;
  const double under = time_of(pixel);
  const double widest = (length_ + 2 * margin()) / width_;
  ns_per_pixel_ = std::clamp(ns_per_pixel_ / factor, std::min(kClosestNs / width_, widest), widest);
  begin_ = under - pixel * ns_per_pixel_;
  clamp();
}

void TimeAxis::pan(double pixels) {
  begin_ += pixels * ns_per_pixel_;
  clamp();
}

TimeAxis TimeAxis::in_device_pixels(double ratio) const {
  TimeAxis scaled = *this;
  scaled.width_ = width_ * ratio;
  scaled.ns_per_pixel_ = ns_per_pixel_ / ratio;
  return scaled;
}

void TimeAxis::clamp() {
  const double whole = length_ + 2 * margin();
  ns_per_pixel_ = std::clamp(ns_per_pixel_, std::min(kClosestNs, whole) / width_, whole / width_);
  const double last_begin = length_ + margin() - width_ * ns_per_pixel_;
  begin_ = std::max(-margin(), std::min(begin_, last_begin));
}

}  // namespace moescope::gui
