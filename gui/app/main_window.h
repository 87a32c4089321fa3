#pragma once
// SPDX-License-Identifier: Apache-2.0
// The window: the views around one document, menus from the table of commands, a banner for trouble.

#include <QMainWindow>
#include <memory>
#include <vector>

#include "gui/core/palette.h"
#include "gui/document/trace_document.h"
#include "gui/timeline/gantt_canvas.h"
#include "gui/views/views.h"

class QLabel;
class QProgressBar;

namespace moescope::gui {

class Banner;
class HelpOverlay;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(RunLoader loader, GanttOptions options, Theme theme);
  ~MainWindow() override;

  void open(const std::vector<std::string>& paths);
  void showView(std::string_view name);
  TraceDocument& document() { return document_; }
  GanttCanvas& canvas() { return *canvas_; }
  QWidget* banner();
  QWidget* help();

  void askForFile();
  void askForDirectory();
  void askForPicture();
  void escape();
  void toggleTheme();
  void toggleHelp();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildViews();
  void buildMenus();
  void watchDocument();

  TraceDocument document_;
  GanttOptions gantt_options_;
  Theme theme_;
  std::vector<std::unique_ptr<View>> views_;
  std::vector<QWidget*> shown_;  // of each view: its dock, or itself
  GanttCanvas* canvas_ = nullptr;
  Banner* banner_ = nullptr;
  HelpOverlay* help_ = nullptr;
  QLabel* readout_ = nullptr;
  QProgressBar* progress_ = nullptr;
};

}  // namespace moescope::gui
