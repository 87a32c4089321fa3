// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/job/routing_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>

#include "reference_kernels/job/options.h"

namespace moescope::reference {
namespace {

constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 40;  // of one expert; sums of all stay far inside 64 bits

std::vector<std::string_view> cells_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    std::string_view cell = line.substr(at, end - at);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.push_back(cell);
    at = end + 1;
  }
  return cells;
}

std::optional<std::uint64_t> whole(std::string_view cell, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || value > most) return std::nullopt;
  return value;
}

}  // namespace

std::shared_ptr<const RoutingCounts> read_routing_counts(const std::string& path, int experts, int top_k) {
  const auto refuse = [&path](std::size_t line, const std::string& mend) {
    throw UsageError(line == 0 ? path : fmt::format("{}:{}", path, line), "", mend);
  };
  std::ifstream file(path);
  if (!file) refuse(0, "can't be read: name a CSV table with the columns layer, expert, tokens");
  std::string text;
  std::size_t line = 0;
  std::map<std::string_view, std::size_t> columns;
  std::map<std::uint64_t, std::vector<std::uint64_t>> layers;
  const char* const kColumns[] = {"layer", "expert", "tokens"};
  std::string header;
  while (std::getline(file, text)) {
    ++line;
    if (line == 1) {
      header = text;
      const auto cells = cells_of(header);
      for (std::size_t i = 0; i < cells.size(); ++i) columns.emplace(cells[i], i);
      for (const char* column : kColumns)
        if (!columns.contains(column))
          refuse(1, fmt::format("has no column {}: layer, expert, tokens are wanted", column));
      continue;
    }
    if (text.find_first_not_of(" \r") == std::string::npos) continue;
    const auto cells = cells_of(text);
    const auto cell = [&](const char* column) {
      const std::size_t at = columns.at(column);
      return at < cells.size() ? cells[at] : std::string_view();
    };
    const auto layer = whole(cell("layer"), 1'000'000);
    const auto expert = whole(cell("expert"), static_cast<std::uint64_t>(experts) - 1);
    const auto tokens = whole(cell("tokens"), kMostTokens);
    if (!layer) refuse(line, "layer must be a whole number");
    if (!expert) refuse(line, fmt::format("expert must be a whole number below the job's {} experts", experts));
    if (!tokens) refuse(line, "tokens must be a whole number");
    auto& of_layer = layers.try_emplace(*layer, static_cast<std::size_t>(experts)).first->second;
    of_layer[static_cast<std::size_t>(*expert)] += *tokens;
  }
  if (layers.empty()) refuse(0, "has no row: layer, expert, tokens are wanted");
  auto counts = std::make_shared<RoutingCounts>();
  counts->path = path;
  for (auto& [layer, of_layer] : layers) {
    const auto alive = of_layer.size() - static_cast<std::size_t>(std::count(of_layer.begin(), of_layer.end(), 0u));
    if (alive < static_cast<std::size_t>(top_k))
      refuse(0, fmt::format("layer {} has tokens on {} experts only, and a token goes to {}", layer, alive, top_k));
    counts->layers.push_back(std::move(of_layer));
  }
  return counts;
}

}  // namespace moescope::reference
