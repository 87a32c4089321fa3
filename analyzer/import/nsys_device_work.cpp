// SPDX-License-Identifier: Apache-2.0
// What ran on devices: kernels, copies, memsets, and launches of CUDA graphs that were recorded whole.
#include <cmath>

#include "analyzer/import/nsys_import.h"

namespace moescope {
namespace {

// ENUM_CUDA_MEMCPY_OPER, the same in every version; the last three are migrations of unified memory.
CopyKind copy_kind(std::int64_t kind) {
  switch (kind) {
    case 1:
    case 3:
    case 11:
      return CopyKind::kH2D;
    case 2:
    case 4:
    case 12:
      return CopyKind::kD2H;
    case 5:
    case 6:
    case 7:
    case 8:
    case 13:
      return CopyKind::kD2D;
    case 9:
      return CopyKind::kH2H;
    case 10:
      return CopyKind::kP2P;
    default:
      return CopyKind::kNONE;
  }
}

std::string_view copy_name(CopyKind kind) {
  switch (kind) {
    case CopyKind::kH2D:
      return "Memcpy HtoD";
    case CopyKind::kD2H:
      return "Memcpy DtoH";
    case CopyKind::kD2D:
      return "Memcpy DtoD";
    case CopyKind::kP2P:
      return "Memcpy PtoP";
    case CopyKind::kH2H:
      return "Memcpy HtoH";
    case CopyKind::kNONE:
      break;
  }
  return "Memcpy";
}

ContextId context_of(NsysImport& import, SpanKind kind, CopyKind copy = CopyKind::kNONE) {
  Context context;
  context.kind = kind;
  context.copy_kind = copy;
  context.source = Source::kNSYS;
  return import.builder.context(context);
}

std::int64_t not_negative(std::int64_t value) {
  return value >= 0 ? value : -1;
}

// Every table of device work begins with these.
enum Common { kStart, kEnd, kDevice, kStream, kCorrelation, kProcess, kFirstOwn };

void kernels(NsysImport& import) {
  const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
  if (!import.file.has(table)) return;
  const ContextId context = context_of(import, SpanKind::kKERNEL);
  // The demangled name carries the template's arguments, which tell shapes; old exports may lack it.
  const char* name = import.file.has(table, "demangledName") ? "demangledName" : "shortName";
  NsysRows rows(
      import.file, table,
      {needed("start"), needed("end"), {"deviceId"}, {"streamId"}, {"correlationId"}, {"globalPid"}, needed(name)});
  for (Ns start = 0, duration = 0; rows.next(); import.progress(rows)) {
    if (!import.times(rows.integer(kStart), rows.integer(kEnd), &start, &duration)) continue;
    const TrackId track = import.processes.stream(rows.integer_or(kProcess, NsysProcesses::kUnnamed),
                                                  rows.integer_or(kDevice, 0), rows.integer_or(kStream, -1));
    import.span(start, duration, track, import.strings.name(rows.integer_or(kFirstOwn, -1)), context,
                rows.integer_or(kCorrelation, 0), -1);
    ++import.device_work;
  }
  import.done(table);
}

void copies(NsysImport& import) {
  const std::string table = "CUPTI_ACTIVITY_KIND_MEMCPY";
  if (!import.file.has(table)) return;
  NsysRows rows(import.file, table,
                {needed("start"),
                 needed("end"),
                 {"deviceId"},
                 {"streamId"},
                 {"correlationId"},
                 {"globalPid"},
                 {"bytes"},
                 {"copyKind"},
                 {"srcDeviceId"},
                 {"dstDeviceId"}});
  for (Ns start = 0, duration = 0; rows.next(); import.progress(rows)) {
    if (!import.times(rows.integer(kStart), rows.integer(kEnd), &start, &duration)) continue;
    CopyKind kind = copy_kind(rows.integer_or(kFirstOwn + 1, 0));
    // Where the row names both devices and they differ, it is traffic between them whatever its kind says.
    const auto from = rows.integer(kFirstOwn + 2), to = rows.integer(kFirstOwn + 3);
    if (kind == CopyKind::kD2D && from && to && *from != *to) kind = CopyKind::kP2P;
    const TrackId track = import.processes.stream(rows.integer_or(kProcess, NsysProcesses::kUnnamed),
                                                  rows.integer_or(kDevice, 0), rows.integer_or(kStream, -1));
    import.span(start, duration, track, import.builder.name(copy_name(kind)), context_of(import, SpanKind::kCOPY, kind),
                rows.integer_or(kCorrelation, 0), not_negative(rows.integer_or(kFirstOwn, -1)));
    ++import.device_work;
  }
  import.done(table);
}

void memsets(NsysImport& import) {
  const std::string table = "CUPTI_ACTIVITY_KIND_MEMSET";
  if (!import.file.has(table)) return;
  const ContextId context = context_of(import, SpanKind::kMEMSET);
  const NameId name = import.builder.name("Memset");
  NsysRows rows(
      import.file, table,
      {needed("start"), needed("end"), {"deviceId"}, {"streamId"}, {"correlationId"}, {"globalPid"}, {"bytes"}});
  for (Ns start = 0, duration = 0; rows.next(); import.progress(rows)) {
    if (!import.times(rows.integer(kStart), rows.integer(kEnd), &start, &duration)) continue;
    const TrackId track = import.processes.stream(rows.integer_or(kProcess, NsysProcesses::kUnnamed),
                                                  rows.integer_or(kDevice, 0), rows.integer_or(kStream, -1));
    import.span(start, duration, track, name, context, rows.integer_or(kCorrelation, 0),
                not_negative(rows.integer_or(kFirstOwn, -1)));
    ++import.device_work;
  }
  import.done(table);
}

// --cuda-graph-trace=graph, the recorder's default: one row a launch, and nothing of the kernels inside.
void graphs(NsysImport& import) {
  const std::string table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
  if (!import.file.has(table)) return;
  const ContextId context = context_of(import, SpanKind::kGRAPH);
  NsysRows rows(
      import.file, table,
      {needed("start"), needed("end"), {"deviceId"}, {"streamId"}, {"correlationId"}, {"globalPid"}, {"graphId"}});
  double inside_ms = 0;
  for (Ns start = 0, duration = 0; rows.next(); import.progress(rows)) {
    if (!import.times(rows.integer(kStart), rows.integer(kEnd), &start, &duration)) continue;
    const TrackId track = import.processes.stream(rows.integer_or(kProcess, NsysProcesses::kUnnamed),
                                                  rows.integer_or(kDevice, 0), rows.integer_or(kStream, -1));
    const auto graph = rows.integer(kFirstOwn);
    const std::string name = graph ? "CUDA graph " + std::to_string(*graph) : std::string("CUDA graph");
    import.span(start, duration, track, import.builder.name(name), context, rows.integer_or(kCorrelation, 0), -1);
    ++import.device_work;
    ++import.graphs;
    inside_ms += static_cast<double>(duration) / 1e6;
  }
  import.done(table);
  if (import.graphs > 0)
    import.diagnostic("warning", "graph_granular", import.graphs,
                      import.file.path() + ": CUDA graphs were recorded as a whole (" +
                          std::to_string(std::llround(inside_ms)) +
                          " ms), so the kernels inside are not known; record with --cuda-graph-trace=node");
}

}  // namespace

void read_nsys_device_work(NsysImport& import) {
  kernels(import);
  copies(import);
  memsets(import);
  graphs(import);
}

}  // namespace moescope
