// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/trace.h"

#include <algorithm>

namespace moescope {
namespace {

// Facts about the same thing come from several places (environment, annotation, importer): the first known one stays.
template <class T>
void fill(T& known, const T& said, const T& unknown) {
  if (known == unknown) known = said;
}

// Collectives name their span as it was given; after the sort it has another row.
void follow_spans(std::vector<Collective>& collectives, const std::vector<std::uint32_t>& came_from) {
  if (!collectives.empty() && !came_from.empty()) {
    std::vector<std::uint32_t> row_of(came_from.size());
    for (std::size_t row = 0; row < came_from.size(); ++row) row_of[came_from[row]] = static_cast<std::uint32_t>(row);
    for (Collective& one : collectives)
      if (one.span >= 0 && one.span < static_cast<std::int64_t>(row_of.size()))
        one.span = row_of[static_cast<std::size_t>(one.span)];
  }
  std::stable_sort(collectives.begin(), collectives.end(), [](const Collective& a, const Collective& b) {
    return static_cast<std::uint64_t>(a.span) < static_cast<std::uint64_t>(b.span);  // -1 last
  });
}

}  // namespace

std::optional<std::int64_t> sequence_of(const Trace& trace, std::size_t row) {
  const std::int64_t correlation = trace.spans.correlation[row];
  if (correlation >= 0 || (trace.context_of(row).flags & kContextOperator) == 0) return std::nullopt;
  return -1 - correlation;
}

bool Trace::cut_short() const {
  return std::any_of(files.begin(), files.end(), [](const SourceFile& file) { return file.cut_short; });
}

std::size_t TraceBuilder::ContextHash::operator()(const Context& c) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15ull;
  const auto mix = [&hash](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  };
  mix(static_cast<std::int64_t>(c.kind) | static_cast<std::int64_t>(c.copy_kind) << 8 |
      static_cast<std::int64_t>(c.stage) << 16 | static_cast<std::int64_t>(c.role) << 24 |
      static_cast<std::int64_t>(c.part) << 32 | static_cast<std::int64_t>(c.pass) << 40 |
      static_cast<std::int64_t>(c.source) << 48);
  mix(c.step.value);
  mix(c.layer.value);
  mix(c.micro_batch.value);
  mix(c.wave.value);
  mix(c.chunk);
  mix(c.flags);
  return static_cast<std::size_t>(hash);
}

NameId TraceBuilder::name(std::string_view text) {
  if (const auto found = name_ids_.find(text); found != name_ids_.end()) return NameId(found->second);
  const auto id = static_cast<std::int32_t>(trace_.names.size());
  trace_.names.emplace_back(text);
  name_ids_.emplace(std::string(text), id);
  return NameId(id);
}

ContextId TraceBuilder::context(const Context& context) {
  const auto [found, fresh] = context_ids_.try_emplace(context, static_cast<std::int32_t>(trace_.contexts.size()));
  if (fresh) trace_.contexts.push_back(context);
  return ContextId(found->second);
}

TrackId TraceBuilder::track(Track track) {
  trace_.tracks.push_back(std::move(track));
  return TrackId(static_cast<std::int32_t>(trace_.tracks.size()) - 1);
}

ClockId TraceBuilder::clock(Clock clock) {
  const bool shared = clock.kind == ClockKind::kMONOTONIC || clock.kind == ClockKind::kREALTIME;
  if (shared && !clock.boot_id.empty())
    for (std::size_t i = 0; i < trace_.clocks.size(); ++i)
      if (trace_.clocks[i].kind == clock.kind && trace_.clocks[i].boot_id == clock.boot_id)
        return ClockId(static_cast<std::int32_t>(i));
  trace_.clocks.push_back(std::move(clock));
  return ClockId(static_cast<std::int32_t>(trace_.clocks.size()) - 1);
}

LinkId TraceBuilder::link(Link link) {
  trace_.links.push_back(std::move(link));
  return LinkId(static_cast<std::int32_t>(trace_.links.size()) - 1);
}

void TraceBuilder::rank(const Rank& rank) {
  for (Rank& known : trace_.ranks) {
    if (known.rank != rank.rank) continue;
    fill(known.world_size, rank.world_size, -1);
    fill(known.local_rank, rank.local_rank, -1);
    fill(known.node, rank.node, -1);
    fill(known.host, rank.host, std::string{});
    return;
  }
  trace_.ranks.push_back(rank);
}

void TraceBuilder::device(const Device& device) {
  for (Device& known : trace_.devices) {
    if (known.key != device.key) continue;
    fill(known.name, device.name, std::string{});
    fill(known.peak_flops, device.peak_flops, -1.0);
    fill(known.link_gb_s, device.link_gb_s, -1.0);
    fill(known.link_kind, device.link_kind, LinkKind::kUNKNOWN);
    fill(known.sm_count, device.sm_count, -1);
    fill(known.source, device.source, std::string{});
    return;
  }
  trace_.devices.push_back(device);
}

void TraceBuilder::span(Ns start, Ns duration, TrackId track, NameId name, ContextId context, std::int64_t correlation,
                        std::int64_t bytes, double flops) {
  trace_.spans.push(start, duration, track, name, context, correlation, bytes, flops);
}

void TraceBuilder::collective(Collective collective) {
  trace_.collectives.push_back(std::move(collective));
}

Trace TraceBuilder::finish() {
  follow_spans(trace_.collectives, trace_.spans.sort_by_track_and_start());
  const SpanTable& spans = trace_.spans;
  for (std::size_t row = 0; row < spans.size(); ++row) {
    Track& track = trace_.tracks[static_cast<std::size_t>(spans.track[row])];
    if (track.rows++ == 0) track.first_row = row;
  }
  std::sort(trace_.ranks.begin(), trace_.ranks.end(), [](const Rank& a, const Rank& b) { return a.rank < b.rank; });
  std::sort(trace_.devices.begin(), trace_.devices.end(),
            [](const Device& a, const Device& b) { return a.key < b.key; });
  std::sort(trace_.steps.begin(), trace_.steps.end(),
            [](const Step& a, const Step& b) { return a.rank != b.rank ? a.rank < b.rank : a.step < b.step; });
  Trace done = std::move(trace_);
  *this = TraceBuilder{};
  return done;
}

}  // namespace moescope
