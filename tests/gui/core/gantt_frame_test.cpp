// SPDX-License-Identifier: Apache-2.0
#include "gui/core/gantt_frame.h"

#include "gui/core/svg_writer.h"
#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

struct Made {
  test::Sample sample;
  FrameInput input;
  explicit Made(test::Sample made, double width = 1200, double height = 760) : sample(std::move(made)) {
    input.trace = &sample.trace;
    input.attribution = &sample.attribution;
    input.gantt = &sample.gantt;
    input.title = run_title(sample.trace, sample.attribution.structure, sample.gantt, {"/runs/wave/"});
    input.geometry = frame_geometry(width, height);
    input.axis = TimeAxis(static_cast<double>(sample.gantt.length), input.geometry.plot_width);
    input.text_width = estimated_text_width;
  }
};
std::vector<SceneText> texts(const Scene& scene) {
  std::vector<SceneText> result;
  for (const SceneItem& item : scene)
    if (const auto* const text = std::get_if<SceneText>(&item); text != nullptr && !text->text.empty())
      result.push_back(*text);
  return result;
}
bool says(const Scene& scene, std::string_view what) {
  for (const SceneText& text : texts(scene))
    if (text.text.find(what) != std::string::npos) return true;
  return false;
}
struct Extent {
  double left, right, top, bottom;
};
Extent extent(const SceneText& text) {
  const double width = estimated_text_width(text.text, text.size, text.bold);
  const double left = text.anchor == Anchor::kLeft     ? text.x
                      : text.anchor == Anchor::kCenter ? text.x - width / 2
                                                       : text.x - width;
  return {left, left + width, text.y - text.size / 2, text.y + text.size / 2};
}

}  // namespace

TEST_CASE("the frame names ranks, stages, waves, key figures and what to beware of") {
  test::SampleShape shape;
  shape.cut_short = true;
  Made made(test::sample_run(shape));
  made.input.axis.show(0, 2.6e6);
  const Frame frame = build_frame(made.input);
  for (const char* const what :
       {"rank 0", "rank 3", "Dispatch", "L1", "Activation", "L2", "Combine", "w0", "w3", "75.0 % hidden"}) {
    INFO(what);
    CHECK(says(frame.above, what));
  }
  for (const char* const what :
       {"wave", "moescope-refmoe", "4 ranks", "6 steps", "2 layers", "4 waves", "2.64 ms", "step time",
        "exposed communication", "virtual clock", "cut short", "odd wave", "0.5 ms"})
    CHECK(says(frame.border, what));
}

TEST_CASE("no text runs over another, at many sizes") {
  for (const double width : {500.0, 700.0, 1000.0, 1600.0}) {
    test::SampleShape shape;
    shape.cut_short = true;
    Made made(test::sample_run(shape), width, 700);
    made.input.axis.show(0, 2.6e6);
    made.input.window_note = "shown: step 3, layer 1";
    const Frame frame = build_frame(made.input);
    std::vector<SceneText> all = texts(frame.border);
    for (const SceneText& text : texts(frame.above)) all.push_back(text);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Extent a = extent(all[i]);
      INFO("width " << width << ": " << all[i].text);
      CHECK(a.left >= 0);
      CHECK(a.right <= width);
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        const Extent b = extent(all[j]);
        INFO(all[j].text);
        CHECK_FALSE((a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
      }
    }
  }
}

TEST_CASE("labels stay inside their bars, also when the bar begins left of the view") {
  Made made(test::sample_run({}));
  made.input.axis.show(1.0e5, 9.0e5);
  const Frame frame = build_frame(made.input);
  int labels = 0;
  for (const SceneText& text : texts(frame.above)) {
    if (text.text.size() != 2 || text.text[0] != 'w') continue;
    ++labels;
    const Extent at = extent(text);
    bool inside = false;
    for (const LaneBox& box : frame.layout.lanes())
      for (const Bar& bar : frame.items[box.lane].bars)
        inside = inside || (std::abs(frame.y_of(box) + box.height / 2 - text.y) < 1 &&
                            at.left >= frame.geometry.plot_x + bar.x0 && at.right <= frame.geometry.plot_x + bar.x1);
    CHECK(inside);
    CHECK(at.left >= frame.geometry.plot_x);
  }
  CHECK(labels > 20);
}

TEST_CASE("lanes scrolled out of the window are not prepared") {
  Made made(test::sample_run({}), 1200, 300);
  made.input.scroll = 430;
  const Frame frame = build_frame(made.input);
  CHECK(frame.items.front().bars.empty());
  CHECK_FALSE(frame.items.back().bars.empty());
}

TEST_CASE("a run without device work says so") {
  Made made(test::Sample{});
  CHECK(says(build_frame(made.input).border, "Nothing to draw"));
}

TEST_CASE("the SVG holds every bar, hatch and label, and special characters are escaped") {
  Made made(test::sample_run({}));
  made.input.axis.show(0, 1.2e6);
  made.input.title.name = "a<b> & \"c\"";
  const Frame frame = build_frame(made.input);
  const std::string svg = svg_of(frame, made.sample.gantt);
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"760\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a&lt;b&gt; &amp; \"c\"") != std::string::npos);
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  std::size_t hatches = 1;  // the legend's
  for (const LaneItems& items : frame.items) hatches += items.hatches.size() + items.hatch_folds.size();
  CHECK(hatches > 8);
  CHECK(count("url(#hatch)") == hatches);
  CHECK(count(">w2</text>") > 3);
  CHECK(count("<g") == count("</g>"));
  CHECK(count("<text") == count("</text>"));
}

TEST_CASE("text that doesn't fit ends in an ellipsis, and never inside a character") {
  const auto width = estimated_text_width;
  CHECK(elided("short", 100, 10, false, width) == "short");
  const std::string cut = elided("ééééééééééééé", 40, 10, false, width);
  CHECK(cut == "ééééé…");
  CHECK(elided("anything", 3, 10, false, width).empty());
  CHECK(elided("", 3, 10, false, width).empty());
}
