#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one mapping between time and pixels, shared by every view. Times are ns relative to the start of the run and
// double: a clock's absolute value (1e18 ns) would cost a double its nanoseconds.

namespace moescope::gui {

class TimeAxis {
 public:
  TimeAxis() = default;
  TimeAxis(double length_ns, double width_px);  // shows the whole run

  double length() const { return length_; }
  double width() const { return width_; }
  double begin() const { return begin_; }
  double end() const { return begin_ + width_ * ns_per_pixel_; }
  double ns_per_pixel() const { return ns_per_pixel_; }
  double pixel_of(double ns) const { return (ns - begin_) / ns_per_pixel_; }
  double time_of(double pixel) const { return begin_ + pixel * ns_per_pixel_; }
  bool shows_all() const;

  void set_width(double width_px);  // the same times stay visible
  void set_length(double length_ns);
  void show(double begin_ns, double end_ns);
  void show_all();
  // factor > 1 looks closer. The time under the pixel stays under it, unless an edge of the run is reached.
  void zoom_about(double pixel, double factor);
  void pan(double pixels);                        // positive: later times come into view
  TimeAxis in_device_pixels(double ratio) const;  // the same times over ratio times as many pixels

 private:
  double margin() const { return 0.01 * length_; }
  void clamp();
  double length_ = 1, width_ = 1, begin_ = 0, ns_per_pixel_ = 1;
};

}  // namespace moescope::gui
