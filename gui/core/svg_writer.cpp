// SPDX-License-Identifier: Apache-2.0
#include "gui/core/svg_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gui/core/row_raster.h"

namespace moescope::gui {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result;
}

std::string paint(std::string_view what, Color color) {
  const double alpha = (color >> 24) / 255.0;
  if (alpha <= 0) return fmt::format(" {}=\"none\"", what);
  std::string text = fmt::format(" {}=\"#{:06x}\"", what, color & 0xffffffu);
  if (alpha < 1) text += fmt::format(" {}-opacity=\"{:.3g}\"", what, alpha);
  return text;
}

class Writer {
 public:
  void operator()(const SceneRect& r) {
    const std::string place =
        fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"{:g}\"", r.x, r.y, r.width,
                    r.height, r.radius);
    out_ += place + paint("fill", r.fill) + ((r.stroke >> 24) != 0 ? paint("stroke", r.stroke) : "") + "/>\n";
    if (r.hatched) out_ += place + " fill=\"url(#hatch)\"/>\n";
  }
  void operator()(const SceneLine& l) {
    out_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke-width=\"{:g}\"{}/>\n",
                        l.x0, l.y0, l.x1, l.y1, l.width, paint("stroke", l.color));
  }
  void operator()(const SceneCurve& c) {
    const double middle = (c.y0 + c.y1) / 2;
    out_ += fmt::format(
        "<path d=\"M{:.2f} {:.2f}C{:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {:.2f}\" fill=\"none\" "
        "stroke-width=\"{:g}\"{}/>\n",
        c.x0, c.y0, c.x0, middle, c.x1, middle, c.x1, c.y1, c.width, paint("stroke", c.color));
  }
  void operator()(const SceneText& t) {
    static constexpr const char* kAnchors[] = {"start", "middle", "end"};
    if (t.text.empty()) return;
    out_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:g}\" text-anchor=\"{}\"{}{}>{}</text>\n", t.x,
                        t.y + 0.36 * t.size, t.size, kAnchors[static_cast<int>(t.anchor)],
                        t.bold ? " font-weight=\"bold\"" : "", paint("fill", t.color), escaped(t.text));
  }
  void raw(std::string_view text) { out_ += text; }
  void scene(const Scene& scene) {
    for (const SceneItem& item : scene) std::visit(*this, item);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void write_lane(Writer& writer, const Frame& frame, const Lane& lane, const LaneItems& items, const LaneBox& box) {
  const ThemeColors& colors = theme_colors(frame.theme);
  LaneStyle style;
  style.stage = stage_color(lane.role, frame.theme);
  style.theme = frame.theme;
  const double x = frame.geometry.plot_x, y = frame.y_of(box), width = frame.geometry.plot_width;
  // Neighbouring pixels of one colour become one rectangle.
  for (std::size_t i = 0; i < items.folds.size();) {
    Column column;
    column.folded = true;
    column.busy = items.folds[i].share;
    const Color color = column_color(column, colors.lane, style);
    std::size_t next = i + 1;
    for (; next < items.folds.size() && items.folds[next].pixel == items.folds[next - 1].pixel + 1; ++next) {
      column.busy = items.folds[next].share;
      if (column_color(column, colors.lane, style) != color) break;
    }
    writer(SceneRect{x + items.folds[i].pixel, y, static_cast<double>(next - i), box.height, color});
    i = next;
  }
  const auto bar_rect = [&](const Bar& bar) {
    const double left = std::max(bar.x0, 0.0), right = std::min(bar.x1, width);
    return SceneRect{x + left, y, std::max(0.0, right - left), box.height};
  };
  for (const Bar& bar : items.bars) {
    SceneRect rect = bar_rect(bar);
    rect.fill = wave_color(style.stage, lane.wave[bar.segment], frame.theme);
    rect.radius = rect.width >= 6 ? 1.5 : 0;
    writer(rect);
  }
  for (const Bar& hatch : items.hatches) {
    SceneRect rect = bar_rect(hatch);
    rect.hatched = true;
    writer(rect);
  }
  for (const Fold& fold : items.hatch_folds) {
    SceneRect rect{x + fold.pixel, y, 1, box.height};
    rect.hatched = true;
    writer(rect);
  }
}

}  // namespace

double estimated_text_width(std::string_view text, double size, bool bold) {
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return static_cast<double>(characters) * size * (bold ? 0.68 : 0.60);
}

std::string svg_of(const Frame& frame, const Gantt& gantt) {
  const FrameGeometry& g = frame.geometry;
  const ThemeColors& colors = theme_colors(frame.theme);
  Writer writer;
  writer.raw(fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<defs><pattern id=\"hatch\" width=\"8\" height=\"8\" "
      "patternUnits=\"userSpaceOnUse\"><path d=\"M-2 2L2 -2M-2 10L10 -2M6 10L10 6\" stroke-width=\"2.6\"{2}/></pattern>"
      "<clipPath id=\"lanes\"><rect x=\"0\" y=\"{3:g}\" width=\"{0:g}\" height=\"{4:g}\"/></clipPath></defs>\n"
      "<rect width=\"{0:g}\" height=\"{1:g}\"{5}/>\n<g clip-path=\"url(#lanes)\">\n",
      g.width, g.height, paint("stroke", with_alpha(colors.hatch, 0.78)), g.lanes_y, g.lanes_height,
      paint("fill", colors.background)));
  writer.scene(frame.below);
  for (const LaneBox& box : frame.layout.lanes())
    write_lane(writer, frame, gantt.lanes[box.lane], frame.items[box.lane], box);
  writer.scene(frame.above);
  writer.raw("</g>\n");
  writer.scene(frame.border);
  writer.raw("</svg>\n");
  return writer.take();
}

}  // namespace moescope::gui
