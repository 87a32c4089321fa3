// SPDX-License-Identifier: Apache-2.0
#include "analyzer/store/run_file_export.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "analyzer/model/trace_error.h"
#include "analyzer/store/trace_reader.h"
#include "collector/trace/trace_writer.h"

namespace moescope {
namespace {

namespace fs = std::filesystem;
using trace::TraceWriter;

constexpr std::size_t kRowsAFlush = 1 << 16;

template <class E>
std::int32_t number(E value) {
  return static_cast<std::int32_t>(value);
}

// A directory that is there, and gone again where nothing came of it and it was made for this.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::string& path) : path_(path) {
    std::error_code error;
    made_ = fs::create_directories(path, error);
    if (error || !fs::is_directory(path))
      throw TraceError(path, "", "can't be made a directory", "name another with -o");
    for (const auto& entry : fs::directory_iterator(path, error))
      if (is_run_file_name(entry.path().filename().string()))
        throw TraceError(path, "", "already holds a run (" + entry.path().filename().string() + ")",
                         "name another directory with -o");
  }
  ~OutputDirectory() {
    std::error_code error;
    if (made_ && !kept_) fs::remove(path_, error);  // only where empty
  }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool made_ = false, kept_ = false;
};

std::string joined_paths(const Trace& trace) {
  std::string text;
  for (const SourceFile& file : trace.files) text += (text.empty() ? "" : "\n") + file.path;
  return text;
}

std::string fresh_run_id() {
  std::random_device random;
  return "import-" + std::to_string(random()) + std::to_string(random());
}

// The earliest time on each clock: what relative times count from.
std::vector<Ns> clock_bases(const Trace& trace) {
  std::vector<Ns> bases(trace.clocks.size(), 0);
  std::vector<bool> seen(trace.clocks.size(), false);
  const auto offer = [&](ClockId clock, Ns time) {
    const auto i = static_cast<std::size_t>(clock.value);
    if (!seen[i] || time < bases[i]) bases[i] = time;
    seen[i] = true;
  };
  for (const Track& track : trace.tracks)
    if (track.rows > 0) offer(track.clock, trace.spans.start[track.first_row]);
  for (const Step& step : trace.steps) offer(step.clock, step.window.begin);
  return bases;
}

class Exporter {
 public:
  Exporter(const Trace& trace, TraceWriter& writer) : trace_(trace), writer_(writer), bases_(clock_bases(trace)) {}

  void small_tables() {
    for (const Rank& r : trace_.ranks) writer_.rank({r.rank.value, r.world_size, r.local_rank, r.node});
    for (const Device& d : trace_.devices)
      writer_.device({d.key.rank.value, d.key.device, d.name, d.peak_flops, d.link_gb_s, number(d.link_kind),
                      d.sm_count, d.source});
    if (const auto& m = trace_.model)
      writer_.model({m->name, m->hidden, m->intermediate, m->experts, m->top_k, m->layers, m->shared_experts, m->gated,
                     m->dispatch_bytes_per_element, m->combine_bytes_per_element, m->weight_bytes_per_element,
                     m->synthetic_routing, m->source});
    for (std::size_t i = 0; i < trace_.clocks.size(); ++i)
      writer_.clock({static_cast<std::int32_t>(i), number(trace_.clocks[i].kind), trace_.clocks[i].name, bases_[i]});
    for (const ClockSync& s : trace_.clock_syncs)
      writer_.clock_sync({s.a.value, s.a_ns, s.b.value, s.b_ns, s.uncertainty_ns});
    for (std::size_t i = 0; i < trace_.tracks.size(); ++i) {
      const Track& t = trace_.tracks[i];
      writer_.track({static_cast<std::int32_t>(i), t.rank.value, t.device, number(t.kind), t.clock.value, t.os_tid,
                     t.stream, t.name});
    }
    for (const Step& s : trace_.steps)
      writer_.step({s.rank.value, s.step.value, s.number, number(s.kind), s.clock.value, s.window.begin - base(s.clock),
                    s.ended ? s.window.length() : -1});
    for (const RouterLoad& r : trace_.router_loads)
      writer_.router_load({r.step.value, r.layer.value, r.micro_batch.value, r.rank.value, r.expert.value,
                           number(r.side), r.assigned, r.kept});
    for (const PeerTraffic& p : trace_.peer_traffic)
      writer_.peer_traffic({p.step.value, p.layer.value, p.micro_batch.value, p.wave.value, number(p.stage),
                            number(p.pass), p.source.value, p.destination.value, p.bytes});
    for (std::size_t i = 0; i < trace_.comm_groups.size(); ++i) {
      const CommGroup& g = trace_.comm_groups[i];
      writer_.comm_group({static_cast<std::int32_t>(i), number(g.kind), g.name, g.ranks});
    }
    for (const ExpertPlacement& e : trace_.expert_placements)
      writer_.expert_placement({e.valid_from_step, e.layer, e.physical, e.logical, e.rank.value});
    for (std::size_t i = 0; i < trace_.links.size(); ++i) {
      const Link& l = trace_.links[i];
      writer_.link({static_cast<std::int32_t>(i), l.rank.value, number(l.kind), l.name, l.peak_gb_s});
    }
    for (const LinkSample& s : trace_.link_samples)
      writer_.link_sample({s.link.value, s.time - (bases_.empty() ? 0 : bases_[0]), s.tx_bytes, s.rx_bytes});
    for (const Diagnostic& d : trace_.diagnostics) writer_.diagnostic({d.severity, d.code, d.count, d.detail});
    for (const SourceFile& file : trace_.files)
      if (file.cut_short) writer_.diagnostic({"warning", "cut_short", 1, file.cut_short_reason});
  }

  // False where the disk refuses.
  bool spans() {
    std::vector<std::int32_t> names, contexts;
    for (const std::string& name : trace_.names) names.push_back(writer_.name(name));
    with_names(names);
    for (const Context& c : trace_.contexts)
      contexts.push_back(writer_.context({number(c.kind), number(c.copy_kind), number(c.stage), number(c.role),
                                          number(c.part), number(c.pass), c.step.value, c.layer.value,
                                          c.micro_batch.value, c.wave.value, c.chunk, number(c.source), c.flags}));
    const SpanTable& spans = trace_.spans;
    for (std::size_t row = 0; row < spans.size(); ++row) {
      const Track& track = trace_.track_of(row);
      writer_.span({spans.start[row] - base(track.clock), spans.duration[row], spans.track[row],
                    names[static_cast<std::size_t>(spans.name[row])],
                    contexts[static_cast<std::size_t>(spans.context[row])], spans.correlation[row], spans.bytes[row],
                    spans.flops[row]});
      if ((row + 1) % kRowsAFlush == 0 && !writer_.flush()) return false;
    }
    return writer_.flush();
  }

 private:
  // The tables that point to names.
  void with_names(const std::vector<std::int32_t>& names) {
    const std::int32_t nameless = trace_.collectives.empty() ? 0 : writer_.name("");
    const auto at = [&](NameId id) { return id.valid() ? names[static_cast<std::size_t>(id.value)] : nameless; };
    for (const Collective& c : trace_.collectives)
      writer_.collective({c.span < 0 ? -1 : c.span + 1, c.rank.value, c.comm_group, c.sequence, at(c.op),
                          at(c.element_type), c.elements_in, c.elements_out, c.bytes_in, c.bytes_out, c.group_size,
                          c.root_or_peer, list_text(c.in_splits), list_text(c.out_splits), c.algorithm, c.protocol,
                          c.channels});
    for (const DeviceSample& s : trace_.device_samples)
      writer_.device_sample(
          {s.device.rank.value, s.device.device, s.time - (bases_.empty() ? 0 : bases_[0]), at(s.quantity), s.value});
  }
  static std::string list_text(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += (text.empty() ? "[" : ",") + std::to_string(number);
    return text.empty() ? text : text + "]";
  }
  Ns base(ClockId clock) const { return bases_[static_cast<std::size_t>(clock.value)]; }
  const Trace& trace_;
  TraceWriter& writer_;
  std::vector<Ns> bases_;
};

}  // namespace

std::string write_run_file(const Trace& trace, const std::string& directory, const std::string& tool_version) {
  OutputDirectory output(directory);
  const std::string path = (fs::path(directory) / (std::string("import") + trace::kRunFileSuffix)).string();
  trace::RunRow run;
  trace::ProcessRow process;
  run.tool_version = tool_version;
  run.run_id_source = "import";
  run.source_path = joined_paths(trace);
  for (const SourceFile& file : trace.files) {
    if (run.run_id.empty()) run.run_id = file.run_id;
    if (run.started_unix_ns == 0 || (file.started_unix_ns != 0 && file.started_unix_ns < run.started_unix_ns))
      run.started_unix_ns = file.started_unix_ns;
  }
  if (run.run_id.empty()) run.run_id = fresh_run_id();
  if (!trace.files.empty()) {
    const SourceFile& first = trace.files.front();
    run.format = first.format;
    process.host = first.host;
    process.pid = first.pid;
    process.executable = first.executable;
    process.argv = first.argv;
  }
  if (!trace.clocks.empty()) process.boot_id = trace.clocks.front().boot_id;

  std::string error;
  TraceWriter::Options options;
  options.durable_wal = false;
  const auto writer = TraceWriter::create(path, run, process, options, &error);
  if (!writer) throw TraceError(path, "", error, "check that the directory may be written");
  Exporter exporter(trace, *writer);
  exporter.small_tables();
  if (!exporter.spans() || writer->rows_lost() > 0 || !writer->finish(run.started_unix_ns, "import"))
    throw TraceError(path, "", writer->error().empty() ? "can't be written" : writer->error(), "free some space");
  output.keep();
  return path;
}

}  // namespace moescope
