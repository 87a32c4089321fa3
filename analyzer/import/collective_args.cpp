// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/collective_args.h"

namespace moescope {
namespace {

// Far above any message, and small enough that no product below overflows.
constexpr std::int64_t kMostElements = std::int64_t{1} << 45;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
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

std::int64_t buffer_bytes(std::int64_t elements, std::string_view type) {
  const std::int64_t size = element_bytes(type);
  return size == 0 || elements < 0 || elements > kMostElements ? -1 : elements * size;
}

std::vector<std::int64_t> split_elements(const std::vector<std::int64_t>& splits, std::int64_t group_size,
                                         std::int64_t elements) {
  if (static_cast<std::int64_t>(splits.size()) != group_size || elements < 0 || elements > kMostElements) return {};
  std::int64_t rows = 0;
  for (const std::int64_t split : splits) {
    if (split < 0 || split > kMostElements - rows) return {};
    rows += split;
  }
  if (rows == 0) return elements == 0 ? splits : std::vector<std::int64_t>{};
  if (elements % rows != 0) return {};
  std::vector<std::int64_t> out = splits;
  for (std::int64_t& split : out) split *= elements / rows;
  return out;
}

std::int64_t collective_wire_bytes(const CollectiveArgs& args) {
  const std::int64_t n = args.group_size;
  const std::int64_t in = buffer_bytes(args.elements_in, args.element_type);
  const std::int64_t out = buffer_bytes(args.elements_out, args.element_type);
  if (n < 1 || n > (1 << 16) || in < 0 || out < 0) return -1;
  const auto others_share = [n](std::int64_t buffer) { return buffer / n * (n - 1) + buffer % n * (n - 1) / n; };
  switch (collective_stage(args.name)) {
    case Stage::kALLREDUCE:
      return 2 * others_share(in);
    case Stage::kREDUCESCATTER:
      return others_share(in);
    case Stage::kALLGATHER:
      return others_share(out);
    case Stage::kALLTOALL: {
      if (!args.has_splits) return others_share(in);
      const auto parts = split_elements(args.in_splits, n, args.elements_in);
      if (args.position < 0 || args.position >= static_cast<std::int64_t>(parts.size())) return -1;
      return in - buffer_bytes(parts[static_cast<std::size_t>(args.position)], args.element_type);
    }
    case Stage::kBROADCAST:
      return n == 1 ? 0 : in;
    case Stage::kSENDRECV:
      return args.name == "recv" ? 0 : in;
    default:
      return -1;
  }
}

}  // namespace moescope
