#pragma once
// SPDX-License-Identifier: Apache-2.0
// Everything that is computed of a run within a scope: one table a metric family. Reports, gates and views read it
// through the metrics list (metrics.h); nothing here formats or prints.

#include <vector>

#include "analyzer/metric/annotation_table.h"
#include "analyzer/metric/arrival.h"
#include "analyzer/metric/collective_rates.h"
#include "analyzer/metric/comm_bound.h"
#include "analyzer/metric/comm_rows.h"
#include "analyzer/metric/coverage.h"
#include "analyzer/metric/layer_table.h"
#include "analyzer/metric/overlap.h"
#include "analyzer/metric/router_balance.h"
#include "analyzer/metric/stage_table.h"
#include "analyzer/metric/step_table.h"
#include "analyzer/metric/waiting.h"
#include "analyzer/metric/wave_summary.h"

namespace moescope {

struct Analysis {
  Definition definition = Definition::kMoescope;
  Selection selection;
  std::vector<Overlap> ranks;    // as selection.devices
  std::vector<Waiting> waiting;  // likewise
  CommRows comm_rows;            // by pass, by wave
  Arrivals arrivals;             // between ranks
  std::vector<CollectiveRateRow> collectives;
  std::vector<StageRow> stages;
  std::vector<AnnotationRow> annotations;
  std::vector<StepRow> steps;
  LayerInstances layer_instances;
  std::vector<LayerRow> layers;
  WaveSummary waves;
  RouterBalance router;
  std::vector<CommBound> bounds;
  Coverage coverage;
};

Analysis analyze(const Trace& trace, const Attribution& attribution, const Scope& scope,
                 Definition definition = Definition::kMoescope, Per per = Per::kStep);

}  // namespace moescope
