// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/nsys_payload.h"

#include <cstring>

namespace moescope {
namespace {

// Before the payload, little-endian: domain (u32), 4 bytes, schema (u32), 4 bytes, the payload's size (u64), the size
// of all of it (u64). Not in the exporter's documentation: a payload whose two sizes don't agree with its own length,
// or whose schema is not in the file, is left alone and counted.
constexpr std::size_t kHeader = 32;

template <class T>
T read_at(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// nvtxPayloadSchemaEntry_t's predefined types; 0: none of a whole number.
struct Layout {
  std::size_t size;
  bool is_signed;
};
Layout layout_of(std::int64_t type) {
  switch (type) {
    case 1:   // char
    case 11:  // int8
      return {1, true};
    case 2:
    case 12:
      return {1, false};
    case 3:  // short
    case 13:
      return {2, true};
    case 4:
    case 14:
      return {2, false};
    case 5:  // int
    case 15:
      return {4, true};
    case 6:
    case 16:
      return {4, false};
    case 7:  // long, long long
    case 9:
    case 17:
      return {8, true};
    case 8:
    case 10:
    case 18:
    case 22:  // size_t
      return {8, false};
    default:
      return {0, false};
  }
}

std::int64_t whole_number(std::string_view bytes, std::size_t at, Layout layout) {
  switch (layout.size) {
    case 1:
      return layout.is_signed ? std::int64_t{read_at<std::int8_t>(bytes, at)} : read_at<std::uint8_t>(bytes, at);
    case 2:
      return layout.is_signed ? std::int64_t{read_at<std::int16_t>(bytes, at)} : read_at<std::uint16_t>(bytes, at);
    case 4:
      return layout.is_signed ? std::int64_t{read_at<std::int32_t>(bytes, at)} : read_at<std::uint32_t>(bytes, at);
    default:
      return read_at<std::int64_t>(bytes, at);
  }
}

}  // namespace

NsysPayloads::NsysPayloads(NsysFile& file) {
  if (!file.has("NVTX_PAYLOAD_SCHEMAS") || !file.has("NVTX_PAYLOAD_SCHEMA_ENTRIES")) return;
  for (NsysRows rows(file, "NVTX_PAYLOAD_SCHEMAS", {{"domainId"}, {"schemaId"}, {"payloadSize"}}); rows.next();)
    schemas_[{rows.integer_or(0, 0), rows.integer_or(1, 0)}].size = rows.integer_or(2, -1);
  // Each process brings its own rows of the same schema: a field of one offset counts once.
  for (NsysRows rows(file, "NVTX_PAYLOAD_SCHEMA_ENTRIES", {{"domainId"}, {"schemaId"}, {"type"}, {"name"}, {"offset"}});
       rows.next();) {
    const auto schema = schemas_.find({rows.integer_or(0, 0), rows.integer_or(1, 0)});
    if (schema == schemas_.end()) continue;
    NsysPayloadField field{std::string(rows.text(3)), rows.integer_or(2, 0), rows.integer_or(4, 0)};
    bool known = false;
    for (const NsysPayloadField& one : schema->second.fields) known = known || one.offset == field.offset;
    if (!known) schema->second.fields.push_back(std::move(field));
  }
}

std::optional<std::vector<NsysPayloadValue>> NsysPayloads::decode(std::int64_t domain, std::string_view bytes) const {
  if (bytes.size() < kHeader) return std::nullopt;
  const auto size = read_at<std::uint64_t>(bytes, 16), total = read_at<std::uint64_t>(bytes, 24);
  const auto schema = schemas_.find({domain, read_at<std::uint32_t>(bytes, 8)});
  if (schema == schemas_.end() || total != bytes.size() || size != total - kHeader) return std::nullopt;
  const std::string_view payload = bytes.substr(kHeader);
  if (schema->second.size >= 0 && payload.size() < static_cast<std::uint64_t>(schema->second.size)) return std::nullopt;
  std::vector<NsysPayloadValue> values;
  for (const NsysPayloadField& field : schema->second.fields) {
    const Layout layout = layout_of(field.type);
    if (layout.size == 0 || field.offset < 0) continue;
    const auto at = static_cast<std::uint64_t>(field.offset);
    if (at > payload.size() || payload.size() - at < layout.size) continue;
    values.push_back({field.label, whole_number(payload, static_cast<std::size_t>(at), layout)});
  }
  return values;
}

}  // namespace moescope
