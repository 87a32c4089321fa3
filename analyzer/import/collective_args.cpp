// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/collective_args.h"

#include <charconv>
#include <limits>
#include <vector>

namespace moescope {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "[1, 2, 3]"; empty where it is anything else (a cut list ends in "...").
std::vector<std::int64_t> integer_list(std::string_view text) {
  std::vector<std::int64_t> list;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) break;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0) return {};
    list.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return list;
}

std::int64_t split_bytes(const CollectiveArgs& args, std::int64_t buffer) {
  const auto splits = integer_list(args.in_splits), ranks = integer_list(args.group_ranks);
  if (static_cast<std::int64_t>(splits.size()) != args.group_size || ranks.size() != splits.size()) return -1;
  std::int64_t rows = 0, own = -1;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i] > std::numeric_limits<std::int64_t>::max() / 2 - rows) return -1;
    rows += splits[i];
    if (ranks[i] == args.rank) own = splits[i];
  }
  if (own < 0) return -1;
  if (rows == 0) return 0;
  return buffer % rows == 0 ? buffer / rows * (rows - own) : -1;
}

}  // namespace

Stage collective_stage(std::string_view name) {
  if (contains(name, "alltoall") || contains(name, "all_to_all") || contains(name, "a2a")) return Stage::kALLTOALL;
  if (contains(name, "reduce_scatter") || contains(name, "reducescatter")) return Stage::kREDUCESCATTER;
  if (contains(name, "allreduce") || contains(name, "all_reduce")) return Stage::kALLREDUCE;
  if (contains(name, "allgather") || contains(name, "all_gather")) return Stage::kALLGATHER;
  if (contains(name, "broadcast")) return Stage::kBROADCAST;
  if (name == "send" || name == "recv" || contains(name, "p2p") || contains(name, "sendrecv")) return Stage::kSENDRECV;
  return Stage::kCOLLECTIVE;
}

int element_bytes(std::string_view type) {
  struct Row {
    std::string_view type;
    int bytes;
  };
  static constexpr Row kRows[] = {
      {"BFloat16", 2},
      {"Half", 2},
      {"Float", 4},
      {"Double", 8},
      {"Byte", 1},
      {"Char", 1},
      {"Short", 2},
      {"Int", 4},
      {"Long", 8},
      {"Bool", 1},
      {"UInt8", 1},
      {"UInt16", 2},
      {"UInt32", 4},
      {"UInt64", 8},
      {"Float8_e4m3fn", 1},
      {"Float8_e5m2", 1},
      {"Float8_e4m3fnuz", 1},
      {"Float8_e5m2fnuz", 1},
      {"Float8_e8m0fnu", 1},
  };
  for (const Row& row : kRows)
    if (row.type == type) return row.bytes;
  return 0;
}

std::int64_t collective_wire_bytes(const CollectiveArgs& args) {
  const std::int64_t size = element_bytes(args.element_type), n = args.group_size;
  // Far above any message, and small enough that nothing below overflows.
  constexpr std::int64_t kMost = std::int64_t{1} << 45;
  if (size == 0 || n < 1 || n > (1 << 16) || args.elements_in < 0 || args.elements_out < 0 ||
      args.elements_in > kMost || args.elements_out > kMost)
    return -1;
  const std::int64_t in = args.elements_in * size, out = args.elements_out * size;
  const auto others_share = [n](std::int64_t buffer) { return buffer / n * (n - 1) + buffer % n * (n - 1) / n; };
  switch (collective_stage(args.name)) {
    case Stage::kALLREDUCE:
      return 2 * others_share(in);
    case Stage::kREDUCESCATTER:
      return others_share(in);
    case Stage::kALLGATHER:
      return others_share(out);
    case Stage::kALLTOALL:
      return args.in_splits.empty() || args.in_splits == "[]" ? others_share(in) : split_bytes(args, in);
    case Stage::kBROADCAST:
      return n == 1 ? 0 : in;
    case Stage::kSENDRECV:
      return args.name == "recv" ? 0 : in;
    default:
      return -1;
  }
}

}  // namespace moescope
