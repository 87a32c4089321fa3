#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the real traces lie, if they do, and what an independent computation says of them (truth.json).

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <simdjson.h>

namespace moescope::test {

inline std::filesystem::path real_traces() {
  return std::filesystem::path(MOESCOPE_SOURCE_DIR).parent_path() / "shared" / "data" / "traces";
}

struct TruthDevice {
  std::string device;
  std::int64_t span = 0, idle = 0, busy = 0, compute = 0, comm = 0, mem = 0, exposed = 0, exposed_mem = 0;
  std::int64_t compute_count = 0, comm_count = 0, memcpy_count = 0, memset_count = 0;
};
struct TruthFile {
  std::string path;
  std::vector<TruthDevice> devices;
};
struct Truth {
  std::string comm_regex;
  std::vector<TruthFile> kineto, nsys;
};

inline std::optional<Truth> read_truth() {
  const auto file = real_traces() / "truth.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.load(file.string());
  Truth truth;
  truth.comm_regex = std::string(std::string_view(document["comm_regex"]));
  for (const auto [path, entry] : simdjson::dom::object(document["files"])) {
    std::string_view format;
    if (entry["format"].get(format) || (format != "kineto" && format != "nsys-sqlite")) continue;
    TruthFile row;
    row.path = std::string(path);
    simdjson::dom::array devices;
    if (!entry["devices"].get(devices))
      for (const simdjson::dom::element said : devices) {
        const auto number = [&said](const char* key) { return std::int64_t(said[key]); };
        const auto count = [&said](const char* key) {
          std::int64_t value = 0;
          return said["n"][key].get(value) ? std::int64_t{0} : value;
        };
        TruthDevice device;
        device.device = std::string(std::string_view(said["device"]));
        device.span = number("span_ns");
        device.idle = number("idle_ns");
        device.busy = number("busy_union_ns");
        device.compute = number("compute_union_ns");
        device.comm = number("comm_union_ns");
        device.mem = number("mem_union_ns");
        device.exposed = number("exposed_comm_ns");
        device.exposed_mem = number("exposed_comm_mem_ns");
        device.compute_count = count("compute");
        device.comm_count = count("comm");
        device.memcpy_count = count("memcpy");
        device.memset_count = count("memset");
        row.devices.push_back(device);
      }
    (format == "kineto" ? truth.kineto : truth.nsys).push_back(std::move(row));
  }
  return truth;
}

}  // namespace moescope::test
