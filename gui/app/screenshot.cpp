// SPDX-License-Identifier: Apache-2.0
#include "gui/app/screenshot.h"

#include <QBuffer>
#include <QSaveFile>
#include <cstdio>
#include <exception>

#include "gui/core/time_text.h"
#include "gui/views/views.h"

namespace moescope::gui {
namespace {

int complain(const std::string& text) {
  std::fprintf(stderr, "moescope-gui: %s\n", text.c_str());
  return 2;
}

}  // namespace

int take_screenshot(const Options& options, const RunLoader& loader) {
  RunPtr run;
  try {
    LoadRequest request{options.runs, {}};
    request.gantt.ranks = options.ranks;
    run = loader(request, [](std::uint64_t, std::uint64_t) {});
  } catch (const std::exception& trouble) {
    return complain(trouble.what());
  }
  PictureRequest picture;
  picture.width = options.width;
  picture.height = options.height;
  picture.pixel_ratio = options.scale;
  picture.theme = options.theme;
  picture.steps = options.steps;
  if (!options.range.empty()) {
    picture.range = parse_time_range(options.range, static_cast<double>(run->gantt.length));
    if (!picture.range || picture.range->begin >= static_cast<double>(run->gantt.length) || picture.range->end <= 0)
      return complain("--range " + options.range + ": outside the run, which is " +
                      duration_text(static_cast<double>(run->gantt.length)) + " long");
  }
  const ViewKind& view = *find_view(options.view);
  QByteArray bytes;
  if (options.screenshot.ends_with(".svg")) {
    const auto svg = view.svg(*run, picture);
    if (!svg)
      return complain(options.screenshot + ": the " + options.view + " view can't be drawn as SVG; use FILE.png");
    bytes = QByteArray::fromStdString(*svg);
  } else {
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    view.picture(*run, picture).save(&buffer, "PNG");
  }
  QSaveFile file(QString::fromStdString(options.screenshot));
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    return complain(options.screenshot + ": can't be written: " + file.errorString().toStdString());
  return 0;
}

}  // namespace moescope::gui
