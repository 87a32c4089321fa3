#pragma once
// SPDX-License-Identifier: Apache-2.0
// THE list of views. A new view is a file <name>_view.cpp and a row in views.cpp; its dock, its menu entry, its help
// and
// --view NAME come from the row.

#include <QImage>
#include <QWidget>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gui/document/run_data.h"
#include "gui/timeline/gantt_picture.h"

namespace moescope::gui {

// What the main window may ask of any view. Its widget is owned by the window it is put in.
class View {
 public:
  virtual ~View() = default;
  virtual QWidget* widget() = 0;
  virtual void setRun(const RunPtr& run) = 0;
  virtual void setTheme(Theme theme) = 0;
};

struct ViewKind {
  std::string_view name;   // for --view
  std::string_view title;  // for people
  std::string_view help;
  std::unique_ptr<View> (*create)();
  QImage (*picture)(const RunData& run, const PictureRequest& request);                  // for --screenshot FILE.png
  std::optional<std::string> (*svg)(const RunData& run, const PictureRequest& request);  // nullopt: can't
};
std::span<const ViewKind> view_kinds();
const ViewKind* find_view(std::string_view name);

}  // namespace moescope::gui
