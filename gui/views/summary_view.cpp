// SPDX-License-Identifier: Apache-2.0
#include "gui/views/summary_view.h"

#include <QHeaderView>

#include "gui/core/time_text.h"
#include "gui/timeline/scene_painter.h"

namespace moescope::gui {
namespace {

constexpr const char* kColumns[] = {"", "Spans", "Time", "Exposed", "Hidden", "Bytes", "GB/s", "TFLOP/s"};
constexpr int kColumnCount = static_cast<int>(std::size(kColumns));
const QString kUnknown = QStringLiteral("—");

using Cells = std::array<QString, std::size(kColumns)>;

QString text(double ns) {
  return QString::fromStdString(duration_text(ns));
}

Cells device_cells(const LaneGroup* group, const DeviceFigures& figures) {
  Cells cells;
  cells[0] = group != nullptr ? QString::fromStdString(group->label)
                              : QStringLiteral("rank %1").arg(figures.device.rank.value);
  std::int64_t spans = 0;
  for (const StageFigures& stage : figures.by_role) spans += stage.spans;
  cells[1] = QString::number(spans);
  cells[2] = QStringLiteral("%1 of %2 busy")
                 .arg(text(static_cast<double>(figures.busy)), text(static_cast<double>(figures.span)));
  cells[3] = figures.hidden_fraction ? text(static_cast<double>(figures.exposed)) : kUnknown;
  cells[4] = figures.hidden_fraction ? QString::fromStdString(percent_text(*figures.hidden_fraction)) : kUnknown;
  cells[5] = cells[6] = cells[7] = QString();
  return cells;
}

Cells stage_cells(Stage role, const StageFigures& stage) {
  const auto time = static_cast<double>(stage.time);
  Cells cells;
  cells[0] = QStringLiteral("    ") +
             QString::fromUtf8(stage_label(role).data(), static_cast<qsizetype>(stage_label(role).size()));
  cells[1] = QString::number(stage.spans);
  cells[2] = text(time);
  const bool communicates = kCommunicationStages.contains(role) && stage.time > 0;
  cells[3] = communicates ? text(static_cast<double>(stage.exposed)) : QString();
  cells[4] =
      communicates ? QString::fromStdString(percent_text(1 - static_cast<double>(stage.exposed) / time)) : QString();
  cells[5] = stage.bytes >= 0 ? QString::fromStdString(amount_text(stage.bytes, "B")) : kUnknown;
  cells[6] = stage.bytes >= 0 && time > 0 ? QString::number(stage.bytes / time, 'f', 1) : kUnknown;
  cells[7] = stage.flops >= 0 && time > 0 ? QString::number(stage.flops / time / 1e3, 'f', 2) : kUnknown;
  return cells;
}

}  // namespace

SummaryView::SummaryView() : table_(new QTableWidget(0, kColumnCount)) {
  QStringList headers;
  for (const char* column : kColumns) headers << QString::fromUtf8(column);
  table_->setHorizontalHeaderLabels(headers);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(24);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setShowGrid(false);
  table_->setAlternatingRowColors(true);
  table_->horizontalHeader()->setStretchLastSection(true);
}

void SummaryView::setRun(const RunPtr& run) {
  table_->setRowCount(0);
  if (!run) return;
  const auto append = [this](const Cells& cells, bool bold) {
    const int row = table_->rowCount();
    table_->insertRow(row);
    for (int column = 0; column < kColumnCount; ++column) {
      auto* const item = new QTableWidgetItem(cells[static_cast<std::size_t>(column)]);
      item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
      item->setFont(scene_font(13, bold));
      table_->setItem(row, column, item);
    }
  };
  const Gantt& gantt = run->gantt;
  for (std::size_t i = 0; i < gantt.figures.devices.size(); ++i) {
    const DeviceFigures& figures = gantt.figures.devices[i];
    const LaneGroup* group = nullptr;
    for (const LaneGroup& candidate : gantt.groups)
      if (candidate.figures == i) group = &candidate;
    append(device_cells(group, figures), true);
    for (std::size_t order = 0; order < kStageCount; ++order)
      for (int role = 0; role < kStageCount; ++role) {
        const auto stage = static_cast<Stage>(role);
        const StageFigures& of_stage = figures.by_role[static_cast<std::size_t>(role)];
        if (lane_order(stage) == order && of_stage.spans > 0) append(stage_cells(stage, of_stage), false);
      }
  }
  table_->resizeColumnsToContents();
}

std::unique_ptr<View> create_summary_view() {
  return std::make_unique<SummaryView>();
}

QImage summary_picture(const RunData& run, const PictureRequest& request) {
  SummaryView view;
  view.setRun(std::make_shared<RunData>(run));
  const std::unique_ptr<QWidget> table(view.widget());
  auto* const widget = static_cast<QTableWidget*>(table.get());
  const int height = request.height > 0 ? static_cast<int>(request.height)
                                        : 24 * widget->rowCount() + widget->horizontalHeader()->sizeHint().height() + 4;
  widget->resize(static_cast<int>(request.width), height);
  QImage image(widget->size() * request.pixel_ratio, QImage::Format_RGB32);
  image.setDevicePixelRatio(request.pixel_ratio);
  widget->render(&image);
  return image;
}

}  // namespace moescope::gui
