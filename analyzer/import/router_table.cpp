// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/router_table.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

namespace moescope {
namespace {

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != '"' && c != ' ' && c != '\r' && c != '\t')
      result += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return result;
}
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    std::size_t end = line.find(',', begin);
    if (end == std::string_view::npos) end = line.size();
    cells.push_back(lower(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}
std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}
std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

enum class Column { kStep, kLayer, kMicroBatch, kRank, kExpert, kAssigned, kKept, kOther };
Column column_of(std::string_view name) {
  struct Known {
    std::string_view name;
    Column column;
  };
  static constexpr Known kKnown[] = {{"step", Column::kStep},
                                     {"iter", Column::kStep},
                                     {"iteration", Column::kStep},
                                     {"layer", Column::kLayer},
                                     {"micro_batch", Column::kMicroBatch},
                                     {"rank", Column::kRank},
                                     {"expert", Column::kExpert},
                                     {"tokens", Column::kAssigned},
                                     {"count", Column::kAssigned},
                                     {"assigned", Column::kAssigned},
                                     {"kept", Column::kKept}};
  for (const Known& known : kKnown)
    if (known.name == name) return known.column;
  return Column::kOther;
}

}  // namespace

bool looks_like_router_csv(std::string_view head) {
  if (head.starts_with('{') || head.starts_with('[')) return false;
  bool expert = false, tokens = false;
  for (const std::string& cell : cells_of(first_line(head))) {
    expert = expert || column_of(cell) == Column::kExpert;
    tokens = tokens || column_of(cell) == Column::kAssigned;
  }
  return expert && tokens;
}

void read_router_csv(const std::string& text, RouterBuilder& builder) {
  std::vector<Column> columns;
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::vector<std::string> cells = cells_of(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    const std::string where = "line " + std::to_string(++line_number);
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (columns.empty()) {
      for (const std::string& cell : cells) columns.push_back(column_of(cell));
      continue;
    }
    if (cells.size() != columns.size())
      builder.refuse(where, std::to_string(cells.size()) + " cells under a header of " + std::to_string(columns.size()),
                     "write one cell a column");
    RouterBuilder::Place place;
    std::int64_t assigned = 0;
    std::optional<std::int64_t> kept;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns[i] == Column::kOther) continue;
      const auto value = number(cells[i]);
      if (!value) builder.refuse(where, "\"" + cells[i] + "\", which is no number", "write a number");
      switch (columns[i]) {
        case Column::kStep:
          place.step = builder.index(*value, std::int64_t{1} << 40, "a step", where);
          break;
        case Column::kLayer:
          place.layer = builder.index(*value, RouterBuilder::kMostLayers, "a layer", where);
          break;
        case Column::kMicroBatch:
          place.micro_batch = builder.index(*value, 1 << 24, "a micro-batch", where);
          break;
        case Column::kRank:
          place.rank = builder.index(*value, 1 << 24, "a rank", where);
          break;
        case Column::kExpert:
          place.expert = builder.index(*value, RouterBuilder::kMostExperts, "an expert", where);
          break;
        case Column::kAssigned:
          assigned = builder.tokens(*value, where);
          break;
        case Column::kKept:
          kept = builder.tokens(*value, where);
          break;
        case Column::kOther:
          break;
      }
    }
    if (kept && *kept > assigned) builder.refuse(where, "more tokens kept than assigned", "check the columns");
    builder.add(place, assigned, kept.value_or(assigned));
  }
}

bool looks_like_placement(std::string_view head) {
  const std::string_view line = first_line(head);
  if (line.size() > 60 || line.size() + 2 >= head.size()) return false;
  int numbers = 0;
  bool in_number = false;
  for (const char c : line) {
    if (c >= '0' && c <= '9') {
      numbers += !in_number;
      in_number = true;
    } else if (c == ' ' || c == '\r') {
      in_number = false;
    } else {
      return false;
    }
  }
  const std::string_view next = head.substr(line.size() + 1, 64);
  return numbers == 3 && next.find_first_not_of("01 \r\n") == std::string_view::npos;
}

void read_placement(const std::string& text, RouterBuilder& builder) {
  const char *at = text.data(), *const end = at + text.size();
  std::size_t read = 0;
  const auto next = [&]() -> std::optional<std::int64_t> {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
    if (at == end) return std::nullopt;
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{})
      builder.refuse("number " + std::to_string(read + 1), "something that is no number", "write zeros and ones");
    at = stop;
    ++read;
    return value;
  };
  const auto devices = next(), layers = next(), experts = next();
  if (!devices || !layers || !experts || *devices < 1 || *layers < 1 || *experts < 1 || *devices > 1 << 20 ||
      *layers > RouterBuilder::kMostLayers || *experts > RouterBuilder::kMostExperts)
    builder.refuse("line 1", "not \"devices layers experts\"", "write three numbers from 1 on");
  std::vector<std::int64_t> slots(static_cast<std::size_t>(*layers), 0);  // taken so far
  for (std::int64_t device = 0; device < *devices; ++device) {
    for (std::int64_t layer = 0; layer < *layers; ++layer) {
      for (std::int64_t expert = 0; expert < *experts; ++expert) {
        const auto holds = next();
        if (!holds)
          builder.refuse("number " + std::to_string(read + 1), "the numbers end early",
                         "write devices x layers x experts of them");
        if (*holds != 0 && *holds != 1)
          builder.refuse("number " + std::to_string(read), "neither 0 nor 1", "write zeros and ones");
        if (*holds == 1) builder.place(layer, slots[static_cast<std::size_t>(layer)]++, expert, device);
      }
    }
  }
  if (next())
    builder.refuse("number " + std::to_string(read), "more numbers than devices x layers x experts",
                   "check the first line");
}

bool looks_like_npy(std::string_view head) {
  return head.starts_with("\x93NUMPY");
}

void read_npy(std::string_view bytes, RouterBuilder& builder) {
  const auto refuse = [&](const std::string& what, const std::string& mend) { builder.refuse("header", what, mend); };
  if (bytes.size() < 12) refuse("the array ends in its header", "save it again");
  const bool wide = bytes[6] >= 2;
  std::size_t length =
      static_cast<unsigned char>(bytes[8]) | static_cast<std::size_t>(static_cast<unsigned char>(bytes[9])) << 8;
  if (wide)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[10])) << 16 |
              static_cast<std::size_t>(static_cast<unsigned char>(bytes[11])) << 24;
  const std::size_t start = (wide ? 12 : 10) + length;
  if (start > bytes.size()) refuse("the array ends in its header", "save it again");
  const std::string_view header = bytes.substr(wide ? 12 : 10, length);
  const auto value_of = [&](std::string_view key) {
    const std::size_t found = header.find(key);
    return found == std::string_view::npos ? std::string_view() : header.substr(found + key.size());
  };
  const std::string_view descr = value_of("'descr':");
  const std::size_t quote = descr.find('\'');
  const std::string type(
      quote == std::string_view::npos ? "" : descr.substr(quote + 1, descr.find('\'', quote + 1) - quote - 1));
  if (type == "|O")
    refuse("an array of Python objects, which would need a pickle",
           "save numbers: numpy.asarray(counts, dtype=numpy.int64)");
  if (type != "<i8" && type != "<i4" && type != "<f8" && type != "<f4" && type != "<u8" && type != "<u4")
    refuse("numbers of type " + type, "save it as int64: counts.astype('<i8')");
  if (value_of("'fortran_order':").substr(0, 6).find("True") != std::string_view::npos)
    refuse("Fortran order", "save numpy.ascontiguousarray(counts)");
  std::vector<std::size_t> shape;
  std::string_view dimensions = value_of("'shape':");
  dimensions = dimensions.substr(0, dimensions.find(')'));
  for (std::size_t i = 0; i < dimensions.size();) {
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(dimensions.data() + i, dimensions.data() + dimensions.size(), value);
    if (error == std::errc{}) {
      shape.push_back(value);
      i = static_cast<std::size_t>(stop - dimensions.data());
    } else {
      ++i;
    }
  }
  if (shape.size() < 2 || shape.size() > 3)
    refuse(std::to_string(shape.size()) + " dimensions", "save [layers][experts] or [steps][layers][experts]");
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  const std::size_t width = type[2] == '8' ? 8 : 4;
  std::size_t items = 1;
  for (const std::size_t n : shape) {
    if (n > (std::size_t{1} << 24) || items > (std::size_t{1} << 32))
      refuse("more numbers than a file holds", "check the array");
    items *= n;
  }
  if (bytes.size() - start < items * width) refuse("the array ends early", "save it again");
  if (shape[1] > static_cast<std::size_t>(RouterBuilder::kMostLayers) ||
      shape[2] > static_cast<std::size_t>(RouterBuilder::kMostExperts))
    refuse("more layers or experts than any model has", "save [layers][experts]");
  const bool steps = header.find("'shape': (") != std::string_view::npos && shape[0] > 1;
  for (std::size_t i = 0; i < items; ++i) {
    const char* at = bytes.data() + start + i * width;
    double value = 0;
    const auto load = [&](auto sample) {
      std::memcpy(&sample, at, sizeof sample);
      value = static_cast<double>(sample);
    };
    if (type == "<i8") load(std::int64_t{});
    if (type == "<u8") load(std::uint64_t{});
    if (type == "<i4") load(std::int32_t{});
    if (type == "<u4") load(std::uint32_t{});
    if (type == "<f8") load(double{});
    if (type == "<f4") load(float{});
    const std::size_t expert = i % shape[2], layer = i / shape[2] % shape[1], step = i / shape[2] / shape[1];
    const std::int64_t tokens = builder.tokens(
        value, "[" + std::to_string(step) + "][" + std::to_string(layer) + "][" + std::to_string(expert) + "]");
    builder.add({steps ? static_cast<std::int64_t>(step) : -1, static_cast<std::int64_t>(layer), -1, -1,
                 static_cast<std::int64_t>(expert)},
                tokens, tokens);
  }
}

}  // namespace moescope
