#pragma once
// SPDX-License-Identifier: Apache-2.0
// Small Nsight Systems exports made by tests: the exporter's tables as it declares them, rows as the test says.

#include <cstring>
#include <string>
#include <vector>

#include "collector/trace/database.h"
#include "tests/support/catch.h"

namespace moescope::test {

// Serialized identifiers: vm 1, then process and thread.
constexpr std::int64_t global_id(std::int64_t pid, std::int64_t tid = 0) {
  return std::int64_t{1} << 48 | pid << 24 | tid;
}

class NsysExport {
 public:
  explicit NsysExport(const std::string& path) {
    REQUIRE(trace::Database::open(path, trace::Database::Mode::kCreateExclusive, &database_));
    sql("PRAGMA journal_mode = MEMORY");
    sql("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    sql("CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT)");
  }
  void sql(const std::string& text) {
    const auto status = database_.execute(text.c_str());
    INFO(text << ": " << status.error);
    REQUIRE(status);
  }
  std::int64_t string(const std::string& text) {
    strings_.push_back(text);
    trace::Statement insert;
    REQUIRE(database_.prepare("INSERT INTO StringIds VALUES (?, ?)", &insert));
    insert.bind(1, static_cast<std::int64_t>(strings_.size())).bind(2, std::string_view(text));
    insert.step();
    REQUIRE(insert.ok());
    return static_cast<std::int64_t>(strings_.size());
  }
  static std::string number(std::int64_t value) { return std::to_string(value); }

  void session(std::int64_t utc_ns, const std::string& host) {
    sql("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT)");
    sql("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (" + number(utc_ns) + ", '', '')");
    sql("CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT NOT NULL, "
        "nameEnum INTEGER NOT NULL, value TEXT NOT NULL)");
    sql("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'Hostname', 0, '" + host + "')");
  }
  void kernel_table() {
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT "
        "NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, "
        "globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, graphNodeId INTEGER)");
  }
  void kernel(std::int64_t start, std::int64_t end, std::int64_t pid, std::int64_t device, std::int64_t stream,
              std::int64_t correlation, std::int64_t name) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + number(start) + "," + number(end) + "," + number(device) +
        ",1,NULL," + number(stream) + "," + number(correlation) + "," + number(global_id(pid)) + "," + number(name) +
        "," + number(name) + ",NULL)");
  }
  void call_table() {
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER "
        "NOT "
        "NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, "
        "callchainId INTEGER)");
  }
  void call(std::int64_t start, std::int64_t end, std::int64_t pid, std::int64_t tid, std::int64_t correlation,
            std::int64_t name) {
    sql("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + number(start) + "," + number(end) + ",0," +
        number(global_id(pid, tid)) + "," + number(correlation) + "," + number(name) + ",0,NULL)");
  }
  void range_table() {
    sql("CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
        "category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId "
        "INTEGER, jsonText TEXT, binaryData TEXT)");
  }
  void range(std::int64_t start, const std::string& end, int type, const std::string& text, const std::string& text_id,
             std::int64_t pid, std::int64_t tid, const std::string& payload = {}) {
    trace::Statement insert;
    const std::string hex = payload.empty() ? "NULL" : "x'" + hexadecimal(payload) + "'";
    sql("INSERT INTO NVTX_EVENTS VALUES (" + number(start) + "," + end + "," + number(type) + ",NULL,NULL,NULL," +
        (text.empty() ? "NULL" : "'" + text + "'") + "," + number(global_id(pid, tid)) + ",NULL," + text_id +
        ",1,NULL," + hex + ")");
  }
  void range(std::int64_t start, std::int64_t end, const std::string& text, std::int64_t pid, std::int64_t tid,
             const std::string& payload = {}) {
    range(start, number(end), 59, text, "NULL", pid, tid, payload);
  }

 private:
  static std::string hexadecimal(const std::string& bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
      text += kDigits[static_cast<unsigned char>(c) >> 4];
      text += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return text;
  }
  trace::Database database_;
  std::vector<std::string> strings_;
};

// A payload as the exporter stores it, behind its header of 32 bytes.
class NsysPayloadBytes {
 public:
  explicit NsysPayloadBytes(std::uint32_t schema) : schema_(schema) {}
  template <class T>
  NsysPayloadBytes& add(T value) {
    body_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  std::string bytes() const {
    std::string out;
    const auto put = [&out](auto value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
    put(std::uint32_t{1});
    put(std::uint32_t{0});
    put(schema_);
    put(std::uint32_t{0});
    put(std::uint64_t{body_.size()});
    put(std::uint64_t{body_.size() + 32});
    return out + body_;
  }

 private:
  std::uint32_t schema_;
  std::string body_;
};

}  // namespace moescope::test
