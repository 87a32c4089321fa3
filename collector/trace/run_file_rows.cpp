// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/run_file_rows.h"

namespace moescope::trace {
namespace {

// Binds columns 1, 2, 3, ... in the order given.
class Columns {
 public:
  explicit Columns(Statement& statement) : statement_(statement) {}
  Columns& operator<<(std::int64_t value) {
    statement_.bind(++index_, value);
    return *this;
  }
  Columns& operator<<(std::int32_t value) { return *this << std::int64_t{value}; }
  Columns& operator<<(const std::string& text) {
    statement_.bind(++index_, std::string_view(text));
    return *this;
  }
  // A figure that can't be negative: below zero it is not known.
  Columns& operator<<(double value) {
    if (value >= 0) {
      statement_.bind(++index_, value);
    } else {
      statement_.bind_null(++index_);
    }
    return *this;
  }

 private:
  Statement& statement_;
  int index_ = 0;
};

constexpr bool kKeep = true, kLose = false;

}  // namespace

RunFileRows::RunFileRows()
    // One row: the first statement of create() inserts it, later ones write over it.
    : process(
          "INSERT OR REPLACE INTO process(rowid, host, pid, image_start_ns, boot_id, pid_namespace, executable, "
          "argv, rank_source) VALUES(1,?,?,?,?,?,?,?,?)",
          kKeep,
          [](Statement& s, const ProcessRow& r) {
            Columns(s) << r.host << r.pid << r.image_start_ns << r.boot_id << r.pid_namespace << r.executable << r.argv
                       << r.rank_source;
          }),
      rank("INSERT OR REPLACE INTO rank VALUES(?,?,?,?)", kKeep,
           [](Statement& s, const RankRow& r) { Columns(s) << r.rank << r.world_size << r.local_rank << r.node; }),
      device("INSERT OR REPLACE INTO device VALUES(?,?,?,?,?,?,?,?)", kKeep,
             [](Statement& s, const DeviceRow& r) {
               Columns(s) << r.rank << r.device << r.name << r.peak_flops << r.link_gb_s << r.link_kind << r.sm_count
                          << r.source;
             }),
      model(
          "INSERT OR REPLACE INTO model(rowid, name, hidden, intermediate, experts, top_k, layers, shared_experts, "
          "gated, dispatch_bytes_per_element, combine_bytes_per_element, weight_bytes_per_element, "
          "synthetic_routing, source) VALUES(1,?,?,?,?,?,?,?,?,?,?,?,?,?)",
          kKeep,
          [](Statement& s, const ModelRow& r) {
            Columns(s) << r.name << r.hidden << r.intermediate << r.experts << r.top_k << r.layers << r.shared_experts
                       << r.gated << r.dispatch_bytes_per_element << r.combine_bytes_per_element
                       << r.weight_bytes_per_element << r.synthetic_routing << r.source;
          }),
      clock("INSERT OR REPLACE INTO clock VALUES(?,?,?,?)", kKeep,
            [](Statement& s, const ClockRow& r) { Columns(s) << r.id << r.kind << r.name << r.base_ns; }),
      clock_sync("INSERT INTO clock_sync VALUES(?,?,?,?,?)", kLose,
                 [](Statement& s, const ClockSyncRow& r) {
                   Columns(s) << r.clock_a << r.a_ns << r.clock_b << r.b_ns << r.uncertainty_ns;
                 }),
      track("INSERT OR REPLACE INTO track VALUES(?,?,?,?,?,?,?,?)", kKeep,
            [](Statement& s, const TrackRow& r) {
              Columns(s) << r.id << r.rank << r.device << r.kind << r.clock << r.os_tid << r.stream << r.name;
            }),
      name("INSERT INTO name VALUES(?,?,?)", kKeep,
           [](Statement& s, const NameRow& r) { Columns(s) << r.id << r.text << r.domain; }),
      context("INSERT INTO context VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", kKeep,
              [](Statement& s, const NumberedContextRow& r) {
                const ContextRow& c = r.context;
                Columns(s) << r.id << c.kind << c.copy_kind << c.stage << c.role << c.part << c.pass << c.step
                           << c.layer << c.micro_batch << c.wave << c.chunk << c.source << c.flags;
              }),
      step("INSERT OR REPLACE INTO step VALUES(?,?,?,?,?,?,?)", kKeep,
           [](Statement& s, const StepRow& r) {
             Columns(s) << r.rank << r.step << r.number << r.kind << r.clock << r.start_rel << r.dur;
           }),
      router_load("INSERT INTO router_load VALUES(?,?,?,?,?,?,?,?)", kLose,
                  [](Statement& s, const RouterLoadRow& r) {
                    Columns(s) << r.step << r.layer << r.micro_batch << r.rank << r.expert << r.side << r.assigned
                               << r.kept;
                  }),
      peer_traffic("INSERT INTO peer_traffic VALUES(?,?,?,?,?,?,?,?,?)", kLose,
                   [](Statement& s, const PeerTrafficRow& r) {
                     Columns(s) << r.step << r.layer << r.micro_batch << r.wave << r.stage << r.pass << r.src_rank
                                << r.dst_rank << r.bytes;
                   }),
      comm_group("INSERT OR IGNORE INTO comm_group VALUES(?,?,?)", kKeep,
                 [](Statement& s, const CommGroupRow& r) { Columns(s) << r.id << r.kind << r.name; }),
      comm_group_rank("INSERT INTO comm_group_rank VALUES(?,?,?)", kKeep,
                      [](Statement& s, const CommGroupRankRow& r) { Columns(s) << r.group << r.position << r.rank; }),
      collective("INSERT INTO collective VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", kLose,
                 [](Statement& s, const CollectiveRow& r) {
                   Columns(s) << r.span << r.rank << r.comm_group << r.sequence << r.op << r.element_type
                              << r.elements_in << r.elements_out << r.bytes_in << r.bytes_out << r.group_size
                              << r.root_or_peer << r.in_splits << r.out_splits << r.algorithm << r.protocol
                              << r.channels;
                 }),
      expert_placement("INSERT INTO expert_placement VALUES(?,?,?,?,?)", kKeep,
                       [](Statement& s, const ExpertPlacementRow& r) {
                         Columns(s) << r.valid_from_step << r.layer << r.physical << r.logical << r.rank;
                       }),
      link("INSERT OR REPLACE INTO link VALUES(?,?,?,?,?)", kKeep,
           [](Statement& s, const LinkRow& r) { Columns(s) << r.id << r.rank << r.kind << r.name << r.peak_gb_s; }),
      link_sample(
          "INSERT INTO link_sample VALUES(?,?,?,?)", kLose,
          [](Statement& s, const LinkSampleRow& r) { Columns(s) << r.link << r.t_rel << r.tx_bytes << r.rx_bytes; }),
      device_sample("INSERT INTO device_sample VALUES(?,?,?,?,?)", kLose,
                    [](Statement& s, const DeviceSampleRow& r) {
                      Columns(s) << r.rank << r.device << r.t_rel << r.quantity;
                      s.bind(5, r.value);
                    }),
      diagnostic("INSERT OR REPLACE INTO diagnostic(rowid, severity, code, count, detail) VALUES(?,?,?,?,?)", kKeep,
                 [](Statement& s, const NumberedDiagnosticRow& r) {
                   const DiagnosticRow& d = r.diagnostic;
                   Columns(s) << r.id << d.severity << d.code << d.count << d.detail;
                 }) {}

}  // namespace moescope::trace
