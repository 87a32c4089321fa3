// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/router_builder.h"

#include <algorithm>
#include <cmath>

#include "analyzer/model/trace_error.h"

namespace moescope {

void RouterBuilder::refuse(const std::string& where, const std::string& what, const std::string& mend) const {
  throw TraceError(path_, where, what, mend);
}

std::int64_t RouterBuilder::tokens(double value, const std::string& where) const {
  if (!(value >= 0 && value < 0x1p53) || value != std::floor(value))
    refuse(where, "a count of tokens that is none", "counts are whole numbers from 0 on");
  return static_cast<std::int64_t>(value);
}

std::int64_t RouterBuilder::index(double value, std::int64_t limit, const char* what, const std::string& where) const {
  if (!(value >= 0 && value < static_cast<double>(limit)) || value != std::floor(value))
    refuse(where, std::string(what) + " out of any range",
           "it is a whole number from 0 to " + std::to_string(limit - 1));
  return static_cast<std::int64_t>(value);
}

void RouterBuilder::add(const Place& place, std::int64_t assigned, std::int64_t kept) {
  Count& count = counts_[place];
  count.assigned += assigned;
  count.kept += kept;
}

void RouterBuilder::place(std::int64_t layer, std::int64_t physical, std::int64_t logical, std::int64_t rank) {
  builder_.trace().expert_placements.push_back({0, static_cast<std::int32_t>(layer),
                                                static_cast<std::int32_t>(physical), static_cast<std::int32_t>(logical),
                                                RankId(static_cast<std::int32_t>(rank))});
  ++placements_;
}

void RouterBuilder::finish() {
  if (counts_.empty() && placements_ == 0) refuse("", "no counts in it", "record it again");
  Trace& trace = builder_.trace();
  std::int64_t experts = 0;
  std::map<std::int64_t, std::int32_t> ordinal;  // of the steps' own numbers
  for (const auto& [place, count] : counts_) ordinal.try_emplace(place.step, 0);
  std::int32_t next = 0;
  for (auto& [number, step] : ordinal) step = number < 0 ? -1 : next++;
  for (const auto& [place, count] : counts_) {
    experts = std::max(experts, place.expert + 1);
    trace.router_loads.push_back(
        {StepId(ordinal.at(place.step)), LayerId(static_cast<std::int32_t>(place.layer)),
         MicroBatchId(static_cast<std::int32_t>(place.micro_batch)), RankId(static_cast<std::int32_t>(place.rank)),
         ExpertId(static_cast<std::int32_t>(place.expert)), Side::kRECEIVED, count.assigned, count.kept});
    if (place.rank >= 0) builder_.rank({RankId(static_cast<std::int32_t>(place.rank)), -1, -1, -1, ""});
  }
  if (experts > 0) {
    if (!trace.model) trace.model = Model{};
    if (trace.model->experts < 0) trace.model->experts = static_cast<std::int32_t>(experts);
    if (trace.model->source.empty()) trace.model->source = "router counts";
  }
  if (said_) {
    if (!trace.model) trace.model = Model{};
    trace.model->synthetic_routing = std::max(trace.model->synthetic_routing, synthetic_ ? 1 : 0);
    if (synthetic_)
      trace.diagnostics.push_back({"warning", "synthetic_routing", 1, path_ + ": says that its routing was made up"});
  }
  SourceFile file;
  file.path = path_;
  file.format = "router";
  file.argv = "[]";
  trace.files.push_back(std::move(file));
}

}  // namespace moescope
