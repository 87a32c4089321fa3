# SPDX-License-Identifier: Apache-2.0
# raw_schema.sql as a C++ string: cmake -DINPUT=raw_schema.sql -DOUTPUT=raw_schema_sql.cpp -P embed_schema.cmake
file(READ ${INPUT} sql)
file(WRITE ${OUTPUT} "// Made from raw_schema.sql by embed_schema.cmake.\n#include \"collector/trace/schema.h\"\n\n"
  "namespace moescope::trace {\nconst char* raw_schema_sql() {\n  return R\"moescope(${sql})moescope\";\n}\n}  // namespace moescope::trace\n")
