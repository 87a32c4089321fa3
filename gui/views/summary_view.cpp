// SPDX-License-Identifier: Apache-2.0
#include "gui/views/summary_view.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <functional>

#include "gui/timeline/scene_painter.h"

namespace moescope::gui {
namespace {

constexpr int kRowHeight = 25;

QString text(std::string_view view) {
  return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

struct Cell {
  QString value, tip;
};
using RowName = std::function<QString(std::size_t row)>;
using CellOf = std::function<Cell(const Metric& metric, std::size_t row)>;

QTableWidget* make_table() {
  auto* const table = new QTableWidget;
  table->verticalHeader()->setDefaultSectionSize(kRowHeight);
  table->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setShowGrid(false);
  table->setAlternatingRowColors(true);
  table->setCornerButtonEnabled(false);
  table->setFont(scene_font(13, false));
  return table;
}

// A column for each metric of the grain that has a value anywhere; what abstains everywhere would only be a row of
// dashes.
void fill(QTableWidget& table, Grain grain, std::size_t rows, const RowName& row_name, const CellOf& cell_of) {
  table.clear();
  table.setColumnCount(0);
  table.setRowCount(static_cast<int>(rows));
  QStringList names;
  for (std::size_t row = 0; row < rows; ++row) names << row_name(row);
  table.setVerticalHeaderLabels(names);
  for (const Metric& metric : metrics()) {
    if (metric.grain != grain) continue;
    std::vector<Cell> cells;
    bool any = false;
    for (std::size_t row = 0; row < rows; ++row) {
      cells.push_back(cell_of(metric, row));
      any = any || !cells.back().value.isEmpty();
    }
    if (!any) continue;
    const int column = table.columnCount();
    table.insertColumn(column);
    auto* const header = new QTableWidgetItem(text(metric.id));
    header->setToolTip(text(metric.summary));
    header->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table.setHorizontalHeaderItem(column, header);
    for (std::size_t row = 0; row < rows; ++row) {
      const bool unknown = cells[row].value.isEmpty() && !cells[row].tip.isEmpty();
      auto* const item = new QTableWidgetItem(unknown ? QStringLiteral("—") : cells[row].value);
      item->setToolTip(cells[row].tip);
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table.setItem(static_cast<int>(row), column, item);
    }
  }
  table.resizeColumnsToContents();
}

int full_height(const QTableWidget& table) {
  return table.horizontalHeader()->sizeHint().height() + kRowHeight * table.rowCount() + 4;
}

}  // namespace

SummaryView::SummaryView() : page_(new QWidget), ranks_(make_table()), stages_(make_table()) {
  auto* const column = new QVBoxLayout(page_);
  column->setContentsMargins(8, 8, 8, 8);
  column->addWidget(ranks_, 1);
  column->addWidget(stages_, 2);
}

void SummaryView::setRun(const RunPtr& run) {
  if (!run) return;
  const Analysis& analysis = run->analysis;
  const auto rank_name = [&](std::size_t row) {
    const DeviceKey key = analysis.selection.devices[row].device;
    const QString rank = key.rank.valid() ? QStringLiteral("rank %1").arg(key.rank.value) : QStringLiteral("device");
    return key.device > 0 ? rank + QStringLiteral(" gpu %1").arg(key.device) : rank;
  };
  fill(*ranks_, Grain::kRank, analysis.ranks.size(), rank_name, [&](const Metric& metric, std::size_t row) {
    const Answer<double> answer = evaluate(metric, analysis, 0, row);
    return answer ? Cell{QString::fromStdString(metric_text(metric, *answer)), {}}
                  : Cell{{}, QString::fromStdString(answer.reason())};
  });
  const auto stage_name = [&](std::size_t row) {
    const StageRow& stage = analysis.stages[row];
    const QString label = text(name(stage.stage));
    return stage.pass == Pass::kUNKNOWN ? label : label + QStringLiteral(", ") + text(name(stage.pass));
  };
  fill(*stages_, Grain::kStage, analysis.stages.size(), stage_name, [&](const Metric& metric, std::size_t row) {
    const Answer<RankFigure> answer = evaluate_over_ranks(metric, analysis, row);
    if (!answer) return Cell{{}, QString::fromStdString(answer.reason())};
    Cell cell{QString::fromStdString(metric_text(metric, answer->median)), {}};
    if (analysis.selection.devices.size() > 1)
      cell.tip = QStringLiteral("median over ranks; worst %1, rank %2")
                     .arg(QString::fromStdString(metric_text(metric, answer->worst)))
                     .arg(answer->worst_rank.value);
    return cell;
  });
}

std::unique_ptr<View> create_summary_view() {
  return std::make_unique<SummaryView>();
}

QImage summary_picture(const RunData& run, const PictureRequest& request) {
  SummaryView view;
  view.setRun(std::make_shared<RunData>(run));
  const std::unique_ptr<QWidget> page(view.widget());
  int height = 3 * 8;
  for (auto* const table : page->findChildren<QTableWidget*>()) {
    table->setFixedHeight(full_height(*table));
    height += full_height(*table);
  }
  page->resize(static_cast<int>(request.width), request.height > 0 ? static_cast<int>(request.height) : height);
  QImage image(page->size() * request.pixel_ratio, QImage::Format_RGB32);
  image.setDevicePixelRatio(request.pixel_ratio);
  page->render(&image);
  return image;
}

}  // namespace moescope::gui
