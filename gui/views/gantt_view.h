#pragma once
// SPDX-License-Identifier: Apache-2.0
// The wave Gantt as a view.

#include "gui/timeline/gantt_canvas.h"
#include "gui/views/views.h"

namespace moescope::gui {

class GanttView : public View {
 public:
  GanttView() : canvas_(new GanttCanvas) {}
  QWidget* widget() override { return canvas_; }
  void setRun(const RunPtr& run) override { canvas_->setRun(run); }
  void setTheme(Theme theme) override { canvas_->setTheme(theme); }
  GanttCanvas* canvas() { return canvas_; }

 private:
  GanttCanvas* canvas_;  // owned by the window it is shown in
};
std::unique_ptr<View> create_gantt_view();
QImage gantt_picture(const RunData& run, const PictureRequest& request);
std::optional<std::string> gantt_svg(const RunData& run, const PictureRequest& request);

}  // namespace moescope::gui
