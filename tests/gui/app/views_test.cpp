// SPDX-License-Identifier: Apache-2.0
#include "gui/views/views.h"

#include <QTableWidget>
#include <set>

#include "tests/gui/qt_application.h"
#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

TEST_CASE("every view has a name of its own, can be made, given a run, and drawn") {
  test::qt_application();
  test::Sample sample = test::sample_run({});
  const RunPtr run = make_run({"run"}, std::move(sample.trace), std::move(sample.attribution), {});
  std::set<std::string_view> names;
  for (const ViewKind& kind : view_kinds()) {
    INFO(kind.name);
    CHECK(names.insert(kind.name).second);
    CHECK(find_view(kind.name) == &kind);
    CHECK_FALSE(kind.help.empty());
    const auto view = kind.create();
    const std::unique_ptr<QWidget> widget(view->widget());
    view->setRun(run);
    view->setTheme(Theme::kLight);
    CHECK_FALSE(kind.picture(*run, {}).isNull());
  }
  CHECK(find_view("nothing") == nullptr);
}

TEST_CASE("the summary has a row per rank and per stage, a column per metric, and says why a figure is missing") {
  test::qt_application();
  test::Sample sample = test::sample_run({});
  const RunPtr run = make_run({"run"}, std::move(sample.trace), std::move(sample.attribution), {});
  const auto view = find_view("summary")->create();
  const std::unique_ptr<QWidget> widget(view->widget());
  view->setRun(run);
  const auto tables = widget->findChildren<QTableWidget*>();
  REQUIRE(tables.size() == 2);
  const auto cell = [](const QTableWidget& table, const QString& row,
                       const QString& column) -> const QTableWidgetItem* {
    for (int r = 0; r < table.rowCount(); ++r)
      for (int c = 0; c < table.columnCount(); ++c)
        if (table.verticalHeaderItem(r)->text() == row && table.horizontalHeaderItem(c)->text() == column)
          return table.item(r, c);
    return nullptr;
  };
  const QTableWidget &ranks = *tables[0], &stages = *tables[1];
  REQUIRE(ranks.rowCount() == 4);
  CHECK(cell(ranks, "rank 3", "hidden_fraction")->text() == "75.0 %");
  CHECK(cell(ranks, "rank 0", "exposed_comm_ns")->text() == QString::fromUtf8("360 µs"));
  REQUIRE(stages.rowCount() == 5);
  CHECK(cell(stages, "dispatch, forward", "time_ns")->text() == QString::fromUtf8("640 µs"));
  CHECK(cell(stages, "dispatch, forward", "exposed_ns")->text() == QString::fromUtf8("160 µs"));
  CHECK(cell(stages, "dispatch, forward", "wire_bw_gb_s")->text() == "40 GB/s");
  CHECK(cell(stages, "dispatch, forward", "tflops")->text().isEmpty());
  CHECK(cell(stages, "l1, forward", "tflops")->text() == "310 TFLOP/s");
  CHECK(cell(stages, "l1, forward", "time_ns")->toolTip().contains("worst"));
}
