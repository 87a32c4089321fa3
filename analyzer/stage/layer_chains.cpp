// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/layer_chains.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <unordered_map>

namespace moescope {
namespace {

bool goes_back(Pass pass) {
  return pass == Pass::kBACKWARD || pass == Pass::kBACKWARD_INPUT;
}

// One pass of one micro-batch of the device's work.
struct Flow {
  struct Open {
    std::int32_t chain;
    int dispatches = 0, combines = 0;
    bool first_gemm = false, second_gemm = false;
  };
  std::vector<Open> open;              // oldest first
  std::int32_t computing = -1;         // chain of the latest expert GEMM
  std::int32_t combined = -1;          // chain of the latest combine
  std::vector<std::uint32_t> waiting;  // rows that belong to the next chain that opens
  std::vector<std::uint32_t> control;  // notify and layout, of the next exchange
  bool routed = false;                 // a router ran since the last chain opened
};

class Follower {
 public:
  Follower(const Trace& trace, const Attribution& attribution, const std::vector<std::uint32_t>& rows)
      : trace_(trace), attribution_(attribution), rows_(rows) {
    count();
  }

  LayerChains run() {
    result_.member_of.reserve(rows_.size());
    std::pair<bool, MicroBatchId> last;
    Flow* flow = nullptr;  // of last: neighbours mostly share it
    for (const std::uint32_t row : rows_) {
      const Pass pass = attribution_.pass[row];
      if (pass == Pass::kBACKWARD_WEIGHT) continue;  // no exchange waits for it
      const std::pair key(goes_back(pass), attribution_.structure.at(row).micro_batch);
      if (flow == nullptr || key != last) flow = &flows_[last = key];
      take(row, *flow, key.first, key.second);
    }
    return std::move(result_);
  }

 private:
  // How many kernels an exchange is, and how many chains a layer.
  void count() {
    std::size_t dispatches = 0, combines = 0, bursts = 0, forward = 0;  // forward: dispatches
    std::optional<Stage> latest[2];                                     // by pass: the expert GEMM before
    std::unordered_map<std::int32_t, std::size_t> routers, attentions;  // by name
    for (const std::uint32_t row : rows_) {
      if (attribution_.pass[row] == Pass::kBACKWARD_WEIGHT) continue;
      const Stage stage = attribution_.stage[row];
      const StageSet stages = attribution_.stages[row];
      const bool back = goes_back(attribution_.pass[row]);
      if (stage == Stage::kROUTER && !back) ++routers[trace_.spans.name[row]];
      if (stage == Stage::kATTENTION && !back) ++attentions[trace_.spans.name[row]];
      if (is_control(attribution_.part[row])) continue;
      generic_ = generic_ || stage == Stage::kALLTOALL;
      if (stages.contains(Stage::kDISPATCH)) ++dispatches, forward += !back;
      if (stages.contains(Stage::kCOMBINE)) ++combines;
      const bool one = stages.contains(Stage::kL1), two = stages.contains(Stage::kL2);
      if (!one && !two) continue;
      const Stage first = back ? Stage::kL2 : Stage::kL1;
      std::optional<Stage>& before = latest[back];
      if (!before || (stages.contains(first) && (*before != first || (one && two)))) ++bursts;
      before = one && two ? Stage::kOTHER : stage;
    }
    experts_ = bursts > 0;
    generic_ = generic_ && dispatches + combines == 0 && experts_;
    const auto about = [](std::size_t a, std::size_t b) {
      return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= std::max(1.0, 0.05 * static_cast<double>(b));
    };
    if (experts_ && bursts >= 2 && about(dispatches, 2 * bursts) && about(combines, 2 * bursts)) result_.halves = 2;
    // A router runs once a layer (and micro-batch), forward: several exchanges behind one are waves of one layer.
    const std::size_t marks = usual_count(routers.empty() ? attentions : routers);
    const std::size_t exchanges = forward / static_cast<std::size_t>(result_.halves);
    routers_count_ = !routers.empty() && about(marks, exchanges);
    if (marks >= 2 && exchanges >= 2 * marks) {
      const std::size_t waves = (exchanges + marks / 2) / marks;
      if (about(exchanges, waves * marks)) result_.a_layer = waves;
    }
  }

  // What most names occur as often as.
  static std::size_t usual_count(const std::unordered_map<std::int32_t, std::size_t>& names) {
    std::map<std::size_t, std::size_t> how_often;
    for (const auto& [name, count] : names) ++how_often[count];
    std::size_t usual = 0, most = 0;
    for (const auto& [count, names_with_it] : how_often)
      if (names_with_it >= most) usual = count, most = names_with_it;
    return usual;
  }

  void take(std::uint32_t row, Flow& flow, bool back, MicroBatchId micro_batch) {
    const Stage stage = attribution_.stage[row];
    const StageSet stages = attribution_.stages[row];
    const bool exchange = stages.contains(Stage::kDISPATCH) || stages.contains(Stage::kCOMBINE) || is_generic(stage);
    if (exchange && is_control(attribution_.part[row])) {
      flow.control.push_back(row);
      return;
    }
    bool taken = false;
    if (is_generic(stage)) {
      const bool returns = std::any_of(flow.open.begin(), flow.open.end(), [](const auto& o) { return o.first_gemm; });
      if (returns)
        combine(row, flow);
      else if (!flow.open.empty())
        join(row, flow, flow.open.front().chain);  // counts, then tokens: one dispatch
      else
        dispatch(row, flow, back, micro_batch);
      result_.paired.emplace_back(row, returns != back ? Stage::kCOMBINE : Stage::kDISPATCH);
      return;
    }
    if (stages.contains(Stage::kDISPATCH)) dispatch(row, flow, back, micro_batch), taken = true;
    if (stages.contains(Stage::kL1) || stages.contains(Stage::kL2)) gemm(row, flow, stages, back), taken = true;
    if (stages.contains(Stage::kCOMBINE)) combine(row, flow), taken = true;
    if (taken) return;
    switch (stage) {
      case Stage::kROUTER:
        flow.routed = true;
        flow.waiting.push_back(row);
        break;
      case Stage::kPERMUTE:
      case Stage::kSHARED_EXPERT:
        if (flow.open.empty())
          flow.waiting.push_back(row);
        else
          join(row, flow, flow.open.back().chain, false);
        break;
      case Stage::kACT:
        if (flow.computing >= 0) join(row, flow, flow.computing, false);
        break;
      case Stage::kUNPERMUTE:
        if (flow.combined >= 0 || flow.computing >= 0)
          join(row, flow, flow.computing >= 0 ? flow.computing : flow.combined, false);
        break;
      default:
        break;
    }
  }

  bool is_generic(Stage stage) const { return generic_ && stage == Stage::kALLTOALL; }
  LayerChain& at(std::int32_t chain) { return result_.chains[static_cast<std::size_t>(chain)]; }

  void join(std::uint32_t row, Flow& flow, std::int32_t chain, bool exchange = true) {
    // A fused kernel comes more than once.
    if (result_.member_of.empty() || result_.member_of.back() != std::pair(row, chain))
      result_.member_of.emplace_back(row, chain);
    if (!exchange) return;
    at(chain).close = std::max(at(chain).close, trace_.spans.end(row));
    for (const std::uint32_t one : flow.control) result_.member_of.emplace_back(one, chain);
    flow.control.clear();
  }

  void dispatch(std::uint32_t row, Flow& flow, bool back, MicroBatchId micro_batch) {
    const auto half = std::find_if(flow.open.begin(), flow.open.end(),
                                   [&](const auto& o) { return o.dispatches < result_.halves && !o.first_gemm; });
    if (half != flow.open.end() && !(routers_count_ && flow.routed)) {
      ++half->dispatches;
      join(row, flow, half->chain);
      return;
    }
    const auto chain = static_cast<std::int32_t>(result_.chains.size());
    LayerChain one;
    one.backward = back;
    one.micro_batch = micro_batch;
    one.first_row = row;
    one.open = trace_.spans.start[row];
    one.close = trace_.spans.end(row);
    result_.chains.push_back(one);
    Flow::Open open;
    open.chain = chain;
    open.dispatches = 1;
    flow.open.push_back(open);
    flow.routed = false;
    for (const std::uint32_t before : flow.waiting) result_.member_of.emplace_back(before, chain);
    flow.waiting.clear();
    join(row, flow, chain);
  }

  void gemm(std::uint32_t row, Flow& flow, StageSet stages, bool back) {
    const bool first = stages.contains(back ? Stage::kL2 : Stage::kL1);
    const bool second = stages.contains(back ? Stage::kL1 : Stage::kL2);
    const auto find = [&](auto wanted) { return std::find_if(flow.open.begin(), flow.open.end(), wanted); };
    auto chain = find([&](const auto& o) { return o.chain == flow.computing; });
    const bool goes_on = chain != flow.open.end() && chain->combines == 0 && (!first || !chain->second_gemm);
    if (!goes_on) {
      const auto next = find([&](const auto& o) { return o.dispatches >= result_.halves && !o.first_gemm; });
      if (next != flow.open.end()) chain = next;
    }
    if (chain == flow.open.end()) return;
    chain->first_gemm = true;
    chain->second_gemm = chain->second_gemm || second;
    flow.computing = chain->chain;
    at(chain->chain).experts = true;
    join(row, flow, chain->chain, false);
  }

  void combine(std::uint32_t row, Flow& flow) {
    const auto find = [&](auto wanted) { return std::find_if(flow.open.begin(), flow.open.end(), wanted); };
    auto chain = find([](const auto& o) { return o.combines > 0; });
    if (chain == flow.open.end()) chain = find([&](const auto& o) { return o.first_gemm || !experts_; });
    if (chain == flow.open.end()) return;
    const std::int32_t id = chain->chain;
    join(row, flow, id);
    flow.combined = id;
    if (++chain->combines < result_.halves) return;
    at(id).complete = chain->dispatches >= result_.halves && (at(id).experts || !experts_);
    flow.open.erase(chain);
    if (flow.computing == id) flow.computing = -1;
  }

  const Trace& trace_;
  const Attribution& attribution_;
  const std::vector<std::uint32_t>& rows_;
  LayerChains result_;
  std::map<std::pair<bool, MicroBatchId>, Flow> flows_;
  bool experts_ = false;        // some expert compute is known
  bool generic_ = false;        // exchanges are all-to-alls that don't say which way tokens go
  bool routers_count_ = false;  // as many routers as exchanges: a router means that the next exchange sends
};

}  // namespace

LayerChains layer_chains(const Trace& trace, const Attribution& attribution, const std::vector<std::uint32_t>& rows) {
  return Follower(trace, attribution, rows).run();
}

}  // namespace moescope
