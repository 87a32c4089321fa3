#pragma once
// SPDX-License-Identifier: Apache-2.0
// Binary payloads of NVTX events: the export says each schema's fields (label, type, offset) in tables and keeps the
// bytes with the event. NCCL puts message sizes, peers and communicators there.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/import/nsys_file.h"

namespace moescope {

struct NsysPayloadField {
  std::string label;
  std::int64_t type = 0, offset = 0;  // type: NVTX's number of a C type
};
struct NsysPayloadSchema {
  std::int64_t size = -1;  // bytes of its static part, -1 unknown
  std::vector<NsysPayloadField> fields;
};
struct NsysPayloadValue {
  std::string_view label;
  std::int64_t value = 0;  // 64-bit numbers keep their bits
};

class NsysPayloads {
 public:
  explicit NsysPayloads(NsysFile& file);
  bool empty() const { return schemas_.empty(); }
  // The whole numbers of a payload. nullopt: not laid out as we know it. Views live as long as this.
  std::optional<std::vector<NsysPayloadValue>> decode(std::int64_t domain, std::string_view bytes) const;

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, NsysPayloadSchema> schemas_;  // by domain and schema
};

}  // namespace moescope
