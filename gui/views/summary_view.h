#pragma once
// SPDX-License-Identifier: Apache-2.0
// The figures behind the picture, as a table: one row a device, then one a stage.

#include <QTableWidget>

#include "gui/views/views.h"

namespace moescope::gui {

class SummaryView : public View {
 public:
  SummaryView();
  QWidget* widget() override { return table_; }
  void setRun(const RunPtr& run) override;
  void setTheme(Theme) override {}

 private:
  QTableWidget* table_;  // owned by the window it is shown in
};
std::unique_ptr<View> create_summary_view();
QImage summary_picture(const RunData& run, const PictureRequest& request);

}  // namespace moescope::gui
