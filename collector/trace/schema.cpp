// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/schema.h"

namespace moescope::trace {
namespace {

void add(std::string& sql, const char* enumeration, int value, const char* text) {
  sql += sql.empty() ? "INSERT INTO enum_value VALUES" : ",";
  sql += "('";
  sql += enumeration;
  sql += "',";
  sql += std::to_string(value);
  sql += ",'";
  sql += text;
  sql += "')";
}

}  // namespace

// raw_schema_sql() is made at build time from raw_schema.sql.

std::string enum_values_sql() {
  std::string sql;
#define MOESCOPE_ROW(n, id, name) add(sql, enumeration, n, name);
#define MOESCOPE_ENUMERATION(list, word) \
  {                                      \
    const char* enumeration = word;      \
    list(MOESCOPE_ROW)                   \
  }
  MOESCOPE_ENUMERATION(MOESCOPE_STAGES, "stage")
  MOESCOPE_ENUMERATION(MOESCOPE_PASSES, "pass")
  MOESCOPE_ENUMERATION(MOESCOPE_PARTS, "part")
  MOESCOPE_ENUMERATION(MOESCOPE_STEP_KINDS, "step_kind")
  MOESCOPE_ENUMERATION(MOESCOPE_TRACK_KINDS, "track_kind")
  MOESCOPE_ENUMERATION(MOESCOPE_SPAN_KINDS, "span_kind")
  MOESCOPE_ENUMERATION(MOESCOPE_SOURCES, "source")
  MOESCOPE_ENUMERATION(MOESCOPE_COPY_KINDS, "copy_kind")
  MOESCOPE_ENUMERATION(MOESCOPE_LINK_KINDS, "link_kind")
  MOESCOPE_ENUMERATION(MOESCOPE_CLOCK_KINDS, "clock_kind")
  MOESCOPE_ENUMERATION(MOESCOPE_GROUP_KINDS, "group_kind")
  MOESCOPE_ENUMERATION(MOESCOPE_SIDES, "side")
#undef MOESCOPE_ENUMERATION
#undef MOESCOPE_ROW
  return sql + ";";
}

}  // namespace moescope::trace
