#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every small table of the run file: its INSERT and how a row is bound to it. The order here is the order of the
// columns in raw_schema.sql.

#include "collector/trace/pending_rows.h"
#include "collector/trace/schema.h"

namespace moescope::trace {

struct NameRow {
  std::int32_t id = 0;
  std::string text, domain;
};
struct NumberedContextRow {
  std::int32_t id = 0;
  ContextRow context;
};
struct CommGroupRankRow {
  std::int32_t group = 0, position = 0, rank = -1;
};
struct NumberedDiagnosticRow {
  std::int64_t id = 0;
  DiagnosticRow diagnostic;
};

// One PendingRows a table; for_each visits them all.
struct RunFileRows {
  PendingRows<ProcessRow> process;
  PendingRows<RankRow> rank;
  PendingRows<DeviceRow> device;
  PendingRows<ModelRow> model;
  PendingRows<ClockRow> clock;
  PendingRows<ClockSyncRow> clock_sync;
  PendingRows<TrackRow> track;
  PendingRows<NameRow> name;
  PendingRows<NumberedContextRow> context;
  PendingRows<StepRow> step;
  PendingRows<RouterLoadRow> router_load;
  PendingRows<PeerTrafficRow> peer_traffic;
  PendingRows<CommGroupRow> comm_group;
  PendingRows<CommGroupRankRow> comm_group_rank;
  PendingRows<CollectiveRow> collective;
  PendingRows<ExpertPlacementRow> expert_placement;
  PendingRows<LinkRow> link;
  PendingRows<LinkSampleRow> link_sample;
  PendingRows<DeviceSampleRow> device_sample;
  PendingRows<NumberedDiagnosticRow> diagnostic;

  RunFileRows();
  template <class Visit>
  void for_each(Visit visit) {
    visit(process), visit(rank), visit(device), visit(model), visit(clock), visit(clock_sync), visit(track);
    visit(name), visit(context), visit(step), visit(router_load), visit(peer_traffic), visit(comm_group);
    visit(comm_group_rank), visit(collective), visit(expert_placement), visit(link), visit(link_sample);
    visit(device_sample), visit(diagnostic);
  }
};

}  // namespace moescope::trace
