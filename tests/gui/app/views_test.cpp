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

TEST_CASE("the summary has a row per rank and stage, with what is unknown left open") {
  test::qt_application();
  test::Sample sample = test::sample_run({});
  const RunPtr run = make_run({"run"}, std::move(sample.trace), std::move(sample.attribution), {});
  const auto view = find_view("summary")->create();
  const std::unique_ptr<QWidget> widget(view->widget());
  view->setRun(run);
  const auto* const table = qobject_cast<QTableWidget*>(widget.get());
  REQUIRE(table->rowCount() == 4 * (1 + 5));
  const auto cell = [&](int row, int column) { return table->item(row, column)->text().trimmed(); };
  CHECK(cell(0, 0) == "rank 0");
  CHECK(cell(0, 4) == "75.0 %");
  CHECK(cell(1, 0) == "Dispatch");
  CHECK(cell(1, 1) == "48");
  CHECK(cell(1, 2) == "3.84 ms");
  CHECK(cell(1, 3) == QString::fromUtf8("960 µs"));
  CHECK(cell(1, 6) == "40.0");
  CHECK(cell(1, 7) == QString::fromUtf8("—"));
  CHECK(cell(2, 0) == "L1");
  CHECK(cell(2, 7) == "310.00");
  CHECK(cell(3, 5) == QString::fromUtf8("—"));
}
