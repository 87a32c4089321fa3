// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/waiting_section.h"

#include <fmt/format.h>

#include "analyzer/report/figure_text.h"

namespace moescope {
namespace {

constexpr std::size_t kRanksShown = 8;
const char* const kIds[] = {"idle_ns",
                            "idle_by_cause_ns.launch_starved",
                            "idle_by_cause_ns.waiting_comm",
                            "idle_by_cause_ns.dependency",
                            "idle_by_cause_ns.other",
                            "blocking_comm_ns"};
const char* const kHeads[] = {"idle", "not launched", "in transfer", "dependency", "unknown", "comm that blocked"};

void idle(const ReportInput& input, TextPage& page) {
  const Analysis& analysis = input.analysis;
  const FigureText figures(analysis);
  bool any = false;
  for (const Waiting& waiting : analysis.waiting)
    any = any || (waiting.idle && waiting.idle->total() > 0) || (waiting.blocking && *waiting.blocking > 0);
  if (!any) return;
  page.title("Idle, by what it waited for");
  const std::size_t devices = analysis.selection.devices.size();
  if (devices <= kRanksShown) {
    std::vector<std::string> header{"rank"};
    header.insert(header.end(), std::begin(kHeads), std::end(kHeads));
    TextTable table(std::move(header));
    for (std::size_t device = 0; device < devices; ++device) {
      std::vector<std::string> cells{std::to_string(analysis.selection.devices[device].device.rank.value)};
      for (const char* id : kIds) cells.push_back(figures.plain(Grain::kRank, id, device, device));
      table.row(std::move(cells));
    }
    page.table(table);
    return;
  }
  TextTable table({"figure", "median", "worst"});
  for (std::size_t i = 0; i < std::size(kIds); ++i) {
    const std::string middle = figures.over(Grain::kRank, kIds[i], 0);
    if (!middle.empty()) table.row({kHeads[i], middle, figures.over(Grain::kRank, kIds[i], 0, true)});
  }
  page.table(table);
}

void split(const ReportInput& input, TextPage& page) {
  const FigureText figures(input.analysis);
  const std::string flight = figures.over(Grain::kRank, "in_flight_ns", 0);
  if (flight.empty()) return;
  page.title("Exchanges in two halves");
  page.line(
      fmt::format("Dispatch and combine are launched twice each, to send and to receive; in between the wire works for "
                  "{}, {} of it under compute.",
                  flight, figures.over(Grain::kRank, "in_flight_hidden_ns", 0)));
  page.line("Kernel times then show the halves only: how much is hidden can't be read off them alone.");
}

void contention(const ReportInput& input, TextPage& page) {
  const FigureText figures(input.analysis);
  const std::string together = figures.over(Grain::kRank, "exchange_with_reduction_ns", 0, true);
  if (together.empty()) return;
  page.title("Token exchange beside reductions");
  page.line(fmt::format("both at once for {} on the worst rank", together));
  const std::string exchange = figures.over(Grain::kRank, "exchange_slowdown", 0, true),
                    reduction = figures.over(Grain::kRank, "reduction_slowdown", 0, true);
  if (!exchange.empty()) page.line(fmt::format("token exchange takes {} times as long under a reduction", exchange));
  if (!reduction.empty()) page.line(fmt::format("reductions take {} times as long under a token exchange", reduction));
}

}  // namespace

void waiting_text(const ReportInput& input, TextPage& page) {
  idle(input, page);
  split(input, page);
  contention(input, page);
}

}  // namespace moescope
