#pragma once
// SPDX-License-Identifier: Apache-2.0
// The figures behind the picture: every metric of ranks and of stages, as the report has them. A new metric in
// analyzer/metric/metrics.cpp is a new column here.

#include <QTableWidget>

#include "gui/views/views.h"

namespace moescope::gui {

class SummaryView : public View {
 public:
  SummaryView();
  QWidget* widget() override { return page_; }
  void setRun(const RunPtr& run) override;
  void setTheme(Theme) override {}  // follows the application's palette

 private:
  QWidget* page_;  // owned by the window it is shown in
  QTableWidget *ranks_, *stages_;
};
std::unique_ptr<View> create_summary_view();
QImage summary_picture(const RunData& run, const PictureRequest& request);

}  // namespace moescope::gui
