// SPDX-License-Identifier: Apache-2.0
// moescope-gui as a user starts it, without a display.
#include <QImage>
#include <filesystem>

#include "analyzer/store/run_file_export.h"
#include "gui/core/palette.h"
#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
using namespace moescope::gui;
using namespace moescope::test;

namespace {

const std::vector<std::string> kEnvironment = {"DISPLAY=", "WAYLAND_DISPLAY=",
                                               "LSAN_OPTIONS=print_suppressions=0:suppressions=" MOESCOPE_SOURCE_DIR
                                               "/tests/gui/fontconfig.supp"};

Ran viewer(std::vector<std::string> arguments) {
  // The test's own platform must not decide for the program.
  std::vector<std::string> argv = {
      "env", "-u", "QT_QPA_PLATFORM", "-u", "QT_SCALE_FACTOR", "-u", "XDG_RUNTIME_DIR", program("moescope-gui")};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv, kEnvironment);
}

std::string recorded(const ScratchFolder& scratch, int waves) {
  gui::test::SampleShape shape;
  shape.waves = waves;
  Trace trace = gui::test::sample_trace(shape);
  trace.files.front().file_uuid = "6f9619ff-8b86-d011-b42d-00c04fc964ff";
  trace.files.front().run_id = "run-1";
  trace.files.front().host = "host";
  trace.files.front().argv = "[\"moescope-refmoe\"]";
  trace.files.front().pid = 7;
  write_run_file(trace, scratch / "run", "test");
  return scratch / "run";
}

std::size_t pixels_of(const QImage& image, Color color) {
  std::size_t count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) count += image.pixel(x, y) == color;
  return count;
}

}  // namespace

TEST_CASE("a recorded run becomes a picture without a display") {
  const ScratchFolder scratch;
  const std::string path = recorded(scratch, 4);
  const Ran ran = viewer({"--screenshot", scratch / "a.png", path});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out.empty());
  const QImage image(QString::fromStdString(scratch / "a.png"));
  REQUIRE(image.width() == 1600);
  CHECK(image.height() > 600);
  for (const Stage stage : {Stage::kDISPATCH, Stage::kL1, Stage::kACT, Stage::kL2, Stage::kCOMBINE}) {
    const Color color = stage_color(stage, Theme::kDark);
    INFO(name(stage));
    CHECK(pixels_of(image, color) > 1000);
    CHECK(pixels_of(image, wave_color(color, 1, Theme::kDark)) > 1000);
  }
  // The area of each stage's colours is in proportion to its time; l1 is 480 and l2 is 260 us a layer.
  const auto area = [&](Stage stage) {
    const Color color = stage_color(stage, Theme::kDark);
    return static_cast<double>(pixels_of(image, color) + pixels_of(image, wave_color(color, 1, Theme::kDark)));
  };
  CHECK(area(Stage::kL1) / area(Stage::kL2) == Approx(480.0 / 260).epsilon(0.12));
}

TEST_CASE("theme, size, scale, range, ranks and view do what they say") {
  const ScratchFolder scratch;
  const std::string path = recorded(scratch, 4), file = scratch / "a.png";
  REQUIRE(viewer({"--screenshot", file, "--theme", "light", "--size", "900x500", path}).exit_code == 0);
  QImage image(QString::fromStdString(file));
  CHECK(image.size() == QSize(900, 500));
  CHECK(image.pixel(2, 2) == theme_colors(Theme::kLight).background);
  REQUIRE(viewer({"--screenshot", file, "--scale", "2", "--size", "900x500", path}).exit_code == 0);
  CHECK(QImage(QString::fromStdString(file)).size() == QSize(1800, 1000));
  // The first 80 us hold nothing but the first dispatch.
  REQUIRE(viewer({"--screenshot", file, "--range", "10us:70us", path}).exit_code == 0);
  image = QImage(QString::fromStdString(file));
  CHECK(pixels_of(image, stage_color(Stage::kDISPATCH, Theme::kDark)) > 10'000);
  CHECK(pixels_of(image, stage_color(Stage::kCOMBINE, Theme::kDark)) < 1'000);
  REQUIRE(viewer({"--screenshot", file, "--ranks", "1:2", path}).exit_code == 0);
  const int two = QImage(QString::fromStdString(file)).height();
  REQUIRE(viewer({"--screenshot", file, path}).exit_code == 0);
  CHECK(QImage(QString::fromStdString(file)).height() > two);
  CHECK(viewer({"--screenshot", file, "--view", "summary", path}).exit_code == 0);
  CHECK(QImage(QString::fromStdString(file)).width() == 1600);
}

TEST_CASE("the same picture as SVG") {
  const ScratchFolder scratch;
  const std::string path = recorded(scratch, 4);
  REQUIRE(viewer({"--screenshot", scratch / "a.svg", path}).exit_code == 0);
  const std::string svg = contents(scratch / "a.svg");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.find(">w3</text>") != std::string::npos);
  CHECK(svg.find("url(#hatch)") != std::string::npos);
  const Ran ran = viewer({"--screenshot", scratch / "b.svg", "--view", "summary", path});
  CHECK(ran.exit_code == 2);
  CHECK(ran.err.find("FILE.png") != std::string::npos);
}

TEST_CASE("bad input: one line, exit code 2, and no file") {
  const ScratchFolder scratch;
  const std::string path = recorded(scratch, 0), file = scratch / "a.png";
  write_file(scratch / "text.moe.db", "this is no database");
  write_file(scratch / "cut.json", "{\"traceEvents\": [{\"ph\": \"X\", ");
  std::filesystem::create_directory(scratch / "empty");
  const std::vector<std::vector<std::string>> wrong = {{"--screenshot", file, scratch / "missing"},
                                                       {"--screenshot", file, scratch / "text.moe.db"},
                                                       {"--screenshot", file, scratch / "cut.json"},
                                                       {"--screenshot", file, scratch / "empty"},
                                                       {"--screenshot", file, "--range", "5s:6s", path},
                                                       {"--screenshot", file, "--range", "x", path},
                                                       {"--screenshot", scratch / "no/such/folder.png", path},
                                                       {"--screenshot", scratch / "a.jpg", path},
                                                       {path}};
  for (const auto& arguments : wrong) {
    const Ran ran = viewer(arguments);
    INFO(arguments.back() << ": " << ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(ran.error_lines() == 1);
    CHECK(ran.err.starts_with("moescope-gui: "));
    CHECK(ran.out.empty());
    CHECK_FALSE(std::filesystem::exists(file));
  }
}
