#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tables of one open run file, poured into a TraceBuilder: local ids become the trace's, relative times absolute.

#include <string>
#include <unordered_map>

#include "analyzer/model/trace.h"
#include "collector/trace/database.h"

namespace moescope {

class RunFileTables {
 public:
  RunFileTables(const std::string& path, trace::Database& database, TraceBuilder& builder);
  void read();  // all of them; throws TraceError

 private:
  struct ClockHere {
    ClockId id;
    Ns base;
  };
  trace::Statement query(const char* table, const char* sql);
  // Each row of a query to take(statement).
  template <class Take>
  void rows(const char* table, const char* sql, Take take);
  [[noreturn]] void damaged(const char* table, const std::string& trouble) const;
  Ns absolute(const char* table, const ClockHere& clock, std::int64_t relative) const;
  template <class Map>
  const typename Map::mapped_type& look_up(const char* table, const char* what, const Map& map, std::int64_t id) const;

  void run_and_process();
  void ranks_and_devices();
  void model();
  void clocks();
  void tracks();
  void names();
  void contexts();
  void spans();
  void steps();
  void router_and_traffic();
  void groups_and_placement();
  void collectives();
  std::vector<std::int64_t> integers(const char* table, const std::string& list) const;
  void links();
  void device_samples();
  void diagnostics();

  const std::string& path_;
  trace::Database& database_;
  TraceBuilder& builder_;
  std::string boot_id_, host_;
  std::unordered_map<std::int64_t, ClockHere> clocks_;
  std::unordered_map<std::int64_t, std::pair<TrackId, ClockHere>> tracks_;
  std::unordered_map<std::int64_t, NameId> names_;
  std::unordered_map<std::int64_t, ContextId> contexts_;
  std::unordered_map<std::int64_t, std::int32_t> groups_;  // to the index in Trace::comm_groups
  std::int64_t first_span_ = 0;                            // spans in the builder before this file's
};

}  // namespace moescope
