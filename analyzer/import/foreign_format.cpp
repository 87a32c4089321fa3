// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/foreign_format.h"

#include <algorithm>

namespace moescope {
namespace {

// Text that tells by one phrase near its beginning what it is.
struct Signature {
  std::string_view phrase, what, mend;
};
constexpr std::string_view kNoRun = "it tells of a machine, not of a run; name a trace";
constexpr std::string_view kNoTimeline = "record a timeline: PyTorch's profiler, Nsight Systems, or moescope record";
constexpr Signature kSignatures[] = {
    {"==PROF==", "output of Nsight Compute, single kernels without a timeline", kNoTimeline},
    {"# nThread ", "output of nccl-tests, a benchmark without a timeline", kNoTimeline},
    {"nvbandwidth Version", "output of nvbandwidth, a benchmark without a timeline", kNoTimeline},
    {"<system version=", "a topology as NCCL and RCCL write it", kNoRun},
    {"NVSMI LOG", "output of nvidia-smi", kNoRun},
    {"Link 0: ", "output of nvidia-smi nvlink", kNoRun},
    {"GPU0    GPU1", "output of nvidia-smi topo", kNoRun},
    {"GPU0\tGPU1", "output of nvidia-smi topo", kNoRun},
    {"CA type:", "output of ibstat", kNoRun},
    {"Infiniband device '", "output of ibstatus", kNoRun},
    {"ibnetdiscover", "output of ibnetdiscover", kNoRun},
    {"# Topology file", "output of ibnetdiscover", kNoRun},
    {"CounterSelect:", "output of perfquery, counters at one time", kNoRun},
    {"Dispatch_Id,Agent_Id", "a table of rocprof, counters of kernels without a timeline", kNoTimeline},
    {"\"gpu_usage:0\"", "samples of SuperBench's monitor", kNoTimeline},
};
constexpr std::size_t kNearTheBeginning = 4096;

// The names in the first line, where that looks like a table's; empty otherwise.
std::string columns_of(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  const bool whole = line.size() < head.size() && line.size() < 2048;
  const bool plain = line.find_first_of("{}[]<>") == std::string_view::npos;
  std::string names;
  std::size_t count = 0;
  for (std::size_t at = 0; whole && plain && at <= line.size(); ++count) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    if (count < 4) names += (names.empty() ? "" : ", ") + std::string(line.substr(at, end - at));
    at = end + 1;
  }
  if (count < 3) return "";
  return count > 4 ? names + ", ..." : names;
}

}  // namespace

std::optional<ForeignFormat> foreign_format(std::string_view head, std::string_view path) {
  const auto has = [&head](std::string_view part, std::size_t within) {
    return head.substr(0, within).find(part) != std::string_view::npos;
  };
  while (path.ends_with(".gz")) path.remove_suffix(3);
  // A length, then the metadata message, whose first attribute is the schema: "1.1.0-chakra.0.0.4".
  if (has("schema", 32) && has("-chakra.", 64))
    return ForeignFormat{"a Chakra execution trace, a graph of operations without device times",
                         "import the Kineto trace it was made from"};
  if (head.starts_with("PK\x03\x04"))
    return ForeignFormat{"a zip archive (a torch .pt, a .npz, or packed traces)", "unpack it, or export its tensors"};
  if (head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
    return ForeignFormat{"a Python pickle",
                         "export what is in it with Python; pickles run code and are never read here"};
  if (head.size() > 262 && head.substr(257, 5) == "ustar")
    return ForeignFormat{"a tar archive", "unpack it and name the folder"};
  if (head.starts_with("PAR1"))
    return ForeignFormat{"a Parquet file", "of Nsight Systems: export the report again, nsys export --type sqlite"};
  if (has("Start (ns),", 1024) || has("Total Time (ns)", 1024))
    return ForeignFormat{"a table that nsys stats made", "export the report itself: nsys export --type sqlite FILE"};
  if (has("_matching_timestamp", 1024))
    return ForeignFormat{"a table that Pipit made", "import the trace it was made from"};
  if (has("\"ncclProfile", 16384) || has("\"ProfilerLifecycle\"", 1024))
    return ForeignFormat{"events of an NCCL profiler plugin of another kind",
                         "record with NCCL Inspector, which NCCL ships (ext-profiler/inspector)"};
  if (has("\"token_scores\"", 256))
    return ForeignFormat{"shares of tokens by expert, without counts",
                         "export tokens per expert, as [layers][experts]"};
  if (has("\"think_expert_analytics\"", 1024))
    return ForeignFormat{"frequencies of experts by topic, without counts",
                         "export tokens per expert, as [layers][experts]"};
  if (has("\"avg_drop_rate\"", 2048) || (has("\"drop_rate\"", 2048) && has("\"train_loss\"", 2048)))
    return ForeignFormat{"a benchmark's drop rates, without tokens per expert", "export tokens per expert, as CSV"};
  if (head.size() > 64 && head.substr(0, 4096).find_first_not_of("0123456789.\t\n\r") == std::string_view::npos &&
      has("\t", 16))
    return ForeignFormat{"a table of numbers without a header",
                         "write a CSV with the columns step, layer, expert, tokens"};
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep"))
    return ForeignFormat{"an Nsight Systems report", "export it: nsys export --type sqlite FILE"};
  if (path.ends_with(".ncu-rep"))
    return ForeignFormat{"an Nsight Compute report, single kernels without a timeline", std::string(kNoTimeline)};
  for (const Signature& one : kSignatures)
    if (has(one.phrase, kNearTheBeginning)) return ForeignFormat{std::string(one.what), std::string(one.mend)};
  if (const std::string columns = columns_of(head); !columns.empty())
    return ForeignFormat{"a table with the columns " + columns,
                         "name a trace; a table of router counts has the columns step, layer, expert, tokens"};
  return std::nullopt;
}

}  // namespace moescope
