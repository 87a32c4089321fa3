// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/router_json.h"

#include <simdjson.h>

#include <cctype>
#include <charconv>

namespace moescope {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

std::string at(const char* what, std::size_t index) {
  return std::string(what) + " " + std::to_string(index);
}

double number(const element& value, const RouterBuilder& builder, const std::string& where) {
  double result = 0;
  if (value.get(result) != simdjson::SUCCESS) builder.refuse(where, "something that is no number", "write a number");
  return result;
}

// [experts]
void add_layer(const element& value, RouterBuilder::Place place, RouterBuilder& builder, const std::string& where) {
  array counts;
  if (value.get(counts) != simdjson::SUCCESS) builder.refuse(where, "no list of counts", "write one count an expert");
  place.expert = 0;
  for (const element one : counts) {
    if (place.expert >= RouterBuilder::kMostExperts)
      builder.refuse(where, "more experts than any model has", "check the file");
    const std::int64_t tokens = builder.tokens(number(one, builder, where), where);
    builder.add(place, tokens, tokens);
    ++place.expert;
  }
}

// [layers][experts], or [steps][layers][experts]
void add_logical_count(const element& value, RouterBuilder& builder) {
  array outer;
  if (value.get(outer) != simdjson::SUCCESS) builder.refuse("logical_count", "no list", "write [layers][experts]");
  const auto depth = [](element e) {
    std::size_t levels = 0;
    array a;
    while (e.get(a) == simdjson::SUCCESS) {
      ++levels;
      if (a.size() == 0) break;
      e = *a.begin();
    }
    return levels;
  };
  const std::size_t levels = depth(value);
  if (levels != 2 && levels != 3)
    builder.refuse("logical_count", "lists " + std::to_string(levels) + " deep",
                   "write [layers][experts] or [steps][layers][experts]");
  std::size_t i = 0;
  for (const element one : outer) {
    if (levels == 2) {
      add_layer(one, {-1, static_cast<std::int64_t>(i), -1, -1, 0}, builder, at("layer", i));
    } else {
      array layers;
      if (one.get(layers) != simdjson::SUCCESS)
        builder.refuse(at("step", i), "no list of layers", "write [layers][experts]");
      std::size_t layer = 0;
      for (const element counts : layers) {
        add_layer(counts, {static_cast<std::int64_t>(i), static_cast<std::int64_t>(layer), -1, -1, 0}, builder,
                  at("step", i) + ", " + at("layer", layer));
        ++layer;
      }
    }
    ++i;
  }
}

// [{"0": tokens, ...}, ...]
void add_maps(const array& layers, RouterBuilder& builder) {
  std::int64_t layer = 0;
  for (const element one : layers) {
    const std::string where = at("layer", static_cast<std::size_t>(layer));
    object counts;
    if (one.get(counts) != simdjson::SUCCESS)
      builder.refuse(where, "no counts by expert", "write {\"0\": tokens, ...}");
    for (const auto field : counts) {
      std::int64_t expert = -1;
      const auto [end, error] = std::from_chars(field.key.data(), field.key.data() + field.key.size(), expert);
      if (error != std::errc{} || end != field.key.data() + field.key.size())
        builder.refuse(where, "an expert that is no number", "write {\"0\": tokens, ...}");
      const std::int64_t tokens = builder.tokens(number(field.value, builder, where), where);
      builder.add({-1, layer, -1, -1,
                   builder.index(static_cast<double>(expert), RouterBuilder::kMostExperts, "an expert", where)},
                  tokens, tokens);
    }
    ++layer;
  }
}

// {"layer_list": [{"layer_id", "device_list": [{"device_id", "device_expert": [...]}]}]}
void add_placement(const element& layer_list, RouterBuilder& builder) {
  array layers;
  if (layer_list.get(layers) != simdjson::SUCCESS) builder.refuse("layer_list", "no list", "export the map again");
  std::size_t i = 0;
  for (const element layer : layers) {
    const std::string where = at("layer_list", i++);
    double id = 0;
    array devices;
    if (layer["layer_id"].get(id) != simdjson::SUCCESS || layer["device_list"].get(devices) != simdjson::SUCCESS)
      builder.refuse(where, "no layer_id or no device_list", "export the map again");
    std::int64_t physical = 0;
    for (const element device : devices) {
      double rank = 0;
      array experts;
      if (device["device_id"].get(rank) != simdjson::SUCCESS ||
          device["device_expert"].get(experts) != simdjson::SUCCESS)
        builder.refuse(where, "a device without device_id or device_expert", "export the map again");
      for (const element expert : experts)
        builder.place(builder.index(id, RouterBuilder::kMostLayers, "a layer", where), physical++,
                      builder.index(number(expert, builder, where), RouterBuilder::kMostExperts, "an expert", where),
                      builder.index(rank, 1 << 24, "a device", where));
    }
  }
}

// {"synthetic_routing": true}, or Megatron's option.
void take_routing(const element& document, RouterBuilder& builder) {
  for (const char* key : {"synthetic_routing", "moe_router_force_load_balancing"}) {
    bool synthetic = false;
    if (document[key].get(synthetic) == simdjson::SUCCESS) builder.routing(synthetic);
  }
}

std::string_view first_line(std::string_view head) {
  return head.substr(0, head.find('\n'));
}
bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

bool looks_like_router_json(std::string_view head) {
  std::string squeezed;  // without white space: enough of it to tell
  for (const char c : head.substr(0, 512))
    if (!std::isspace(static_cast<unsigned char>(c))) squeezed += c;
  if (!squeezed.starts_with('{') && !squeezed.starts_with('[')) return false;
  if (squeezed.starts_with("[{\"") && squeezed.size() > 4 && std::isdigit(static_cast<unsigned char>(squeezed[3])))
    return true;
  return contains(head, "\"logical_count\"") ||
         (contains(head, "\"layer_list\"") && contains(head, "\"device_expert\""));
}

bool looks_like_router_lines(std::string_view head) {
  const std::string_view line = first_line(head);
  if (!line.starts_with('{') || !contains(line, "\"layer\"")) return false;
  return contains(line, "\"tpe\"") || contains(line, "\"tokens_per_expert\"") || contains(line, "\"top_indices\"") ||
         contains(line, "\"topk\"");
}

void read_router_json(const std::string& path, std::string text, RouterBuilder& builder) {
  simdjson::dom::parser parser;
  element document;
  if (const auto error = parser.parse(text).get(document))
    builder.refuse("", std::string("not valid JSON (") + simdjson::error_message(error) + ")", "export it again");
  (void)path;
  array list;
  if (document.get(list) == simdjson::SUCCESS) return add_maps(list, builder);
  take_routing(document, builder);
  element inner;
  if (document["logical_count"].get(inner) == simdjson::SUCCESS) return add_logical_count(inner, builder);
  if (document["layer_list"].get(inner) == simdjson::SUCCESS) return add_placement(inner, builder);
  builder.refuse("", "JSON without logical_count or layer_list", "export tokens per expert as [layers][experts]");
}

void read_router_lines(const std::string& path, const std::string& text, RouterBuilder& builder) {
  (void)path;
  simdjson::dom::parser parser;
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    const std::string where = at("line", ++line_number);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    element document;
    if (const auto error = parser.parse(line.data(), line.size()).get(document))
      builder.refuse(where, std::string("not valid JSON (") + simdjson::error_message(error) + ")",
                     "mend the line, or cut the file before it");
    take_routing(document, builder);
    RouterBuilder::Place place;
    const auto field = [&](std::string_view key, std::int64_t& into, std::int64_t limit) {
      double value = 0;
      if (document[key].get(value) == simdjson::SUCCESS) into = builder.index(value, limit, "a number", where);
    };
    field("iter", place.step, std::int64_t{1} << 40);
    field("step", place.step, std::int64_t{1} << 40);
    field("layer", place.layer, RouterBuilder::kMostLayers);
    field("rank", place.rank, 1 << 24);
    element counts;
    if (document["tpe"].get(counts) == simdjson::SUCCESS ||
        document["tokens_per_expert"].get(counts) == simdjson::SUCCESS) {
      array rows;
      element first;
      // [experts], or [layers of the block][experts]
      const bool nested = counts.get(rows) == simdjson::SUCCESS && rows.size() > 0 &&
                          (*rows.begin()).get(first) == simdjson::SUCCESS && first.is_array();
      if (!nested) {
        add_layer(counts, place, builder, where);
      } else {
        for (const element row : rows) {
          add_layer(row, place, builder, where);
          ++place.layer;
        }
      }
      continue;
    }
    const auto add_token = [&](const element& chosen) {
      array experts;
      if (chosen.get(experts) != simdjson::SUCCESS)
        builder.refuse(where, "a token without a list of experts", "write the chosen experts as a list");
      for (const element expert : experts) {
        place.expert = builder.index(number(expert, builder, where), RouterBuilder::kMostExperts, "an expert", where);
        builder.add(place, 1, 1);
      }
    };
    element chosen;
    array tokens;
    if (document["top_indices"].get(tokens) == simdjson::SUCCESS) {
      for (const element token : tokens) add_token(token);
    } else if (document["topk"].get(chosen) == simdjson::SUCCESS && chosen.is_array()) {
      add_token(chosen);
    } else {
      builder.refuse(where, "neither counts (tpe, tokens_per_expert) nor chosen experts (top_indices, topk)",
                     "mend the line");
    }
  }
}

}  // namespace moescope
