// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/step_plan.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace moescope::reference {
namespace {

const EngineMap& engines_of(const AnySchedule& schedule) {
  return std::visit([](const auto& walk) -> const EngineMap& { return walk.engines; }, schedule);
}

StageParts parts_of(const AnySchedule& schedule, const StepShape& shape) {
  StageParts parts;
  std::visit(
      [&](const auto& walk) {
        for (Stage stage : kMoeStages) parts[stage] = walk.parts(stage);
      },
      schedule);
  const auto if_there = [&](bool there) { return there ? shape.compute_workers : 0; };
  parts[Stage::kDense] = if_there(shape.dense);
  parts[Stage::kShared] = if_there(shape.shared);
  parts[Stage::kWeightGradL1] = parts[Stage::kWeightGradL2] = if_there(shape.backward);
  parts[Stage::kWeightGradSide] = if_there(shape.backward && (shape.dense || shape.shared));
  parts[Stage::kAllReduce] = shape.all_reduce ? 1 : 0;
  return parts;
}

// The tasks of one round on one engine, in turns: the way out, the experts and the way home, and what may come later.
// Where chains of rounds move in step, each in its turn does a round's turn 1, the next round's turn 0, and the first
// one's turn 2: while it waits for its exchange, the others compute. A task's turn doesn't depend on the engine, so no
// two engines take tasks of two rounds in opposite orders.
constexpr int kTurns = 3;
using Turns = std::array<std::vector<Task>, kTurns>;

Turns turns_of(const AnySchedule& schedule, const StepShape& shape, const Round& round, int engine) {
  const EngineMap& engines = engines_of(schedule);
  Turns turns;
  const auto add = [&](std::size_t turn, Stage stage, bool there) {
    if (!there || engines.engine(stage) != engine) return;
    const int parts = stage == Stage::kAllReduce ? 1 : shape.compute_workers;
    for (int part = 0; part < parts; ++part) turns[turn].push_back({stage, part});
  };
  const bool forward = round.direction == Direction::kForward;
  add(0, Stage::kDense, forward && shape.dense);
  add(0, Stage::kShared, shape.shared);
  std::visit(
      [&](const auto& walk) {
        for (int i = 0; i < walk.size(engine); ++i) {
          const Task task = walk.at(engine, i);
          turns[task.stage == Stage::kDispatch ? 0 : 1].push_back(task);
        }
      },
      schedule);
  add(1, Stage::kWeightGradL2, !forward);
  add(1, Stage::kWeightGradL1, !forward);
  add(1, Stage::kDense, !forward && shape.dense);
  add(1, Stage::kWeightGradSide, !forward && (shape.dense || shape.shared));
  add(2, Stage::kAllReduce, round.all_reduce);
  return turns;
}

}  // namespace

StepPlan::StepPlan(const AnySchedule& schedule, const StepShape& shape)
    : shape_(shape),
      engines_(engines_of(schedule)),
      parts_(parts_of(schedule, shape)),
      orders_(static_cast<std::size_t>(engines_.count)) {
  const std::vector<Section> sections = lay_out_rounds();
  for (int engine = 0; engine < engines_.count; ++engine) {
    std::vector<Turns> turns;
    for (const Round& round : rounds_) turns.push_back(turns_of(schedule, shape_, round, engine));
    const auto take = [&](const std::vector<int>& chain, int position, std::size_t turn) {
      if (position < 0 || position >= static_cast<int>(chain.size())) return;
      const int round = chain[static_cast<std::size_t>(position)];
      for (const Task task : turns[static_cast<std::size_t>(round)][turn]) append(schedule, engine, round, task);
    };
    for (const Section& section : sections) {
      std::size_t longest = 0;
      for (const std::vector<int>& chain : section) longest = std::max(longest, chain.size());
      for (int position = 0; position <= static_cast<int>(longest); ++position) {
        for (const std::vector<int>& chain : section) {
          take(chain, position - 1, 1);
          take(chain, position, 0);
          take(chain, position - 1, 2);
        }
      }
    }
  }
  check_that_it_runs();
}

void StepPlan::append(const AnySchedule& schedule, int engine, int round_index, Task task) {
  const Round& round = rounds_[static_cast<std::size_t>(round_index)];
  Entry entry{round_index, task, false, static_cast<int>(inputs_.size()), 0};
  for (const Wait& wait : waits(schedule, round, task)) {
    Input input{round_index, wait.task, wait.whole_stage, wait.all_ranks};
    if (wait.previous_layer) {
      input.round = round.predecessor;
      if (input.round >= 0) input.task = {last_stage(rounds_[static_cast<std::size_t>(input.round)]), 0};
    }
    inputs_.push_back(input);
    ++entry.inputs;
  }
  // Gradients of weights add up over micro-batches in their order.
  const int earlier = is_weight_gradient(task.stage) ? round_of_batch_before(round) : -1;
  if (earlier >= 0) {
    inputs_.push_back({earlier, {task.stage, 0}, true, false});
    ++entry.inputs;
  }
  if (static_cast<int>(task.stage) < kMoeStageCount) {
    entry.follows = std::visit([&](const auto& walk) { return walk.follows(task); }, schedule);
  }
  orders_[static_cast<std::size_t>(engine)].push_back(entry);
}

int StepPlan::round_of_batch_before(const Round& round) const {
  for (int i = 0; i < rounds(); ++i) {
    const Round& other = rounds_[static_cast<std::size_t>(i)];
    if (other.direction == round.direction && other.layer == round.layer && other.micro_batch == round.micro_batch - 1)
      return i;
  }
  return -1;
}

// Rounds, in chains that move in step. With one micro-batch in flight every chain is alone. With two: forward only,
// neighbouring micro-batches go through the layers together; with the backward pass, a micro-batch goes forward while
// the one before it goes backward.
std::vector<StepPlan::Section> StepPlan::lay_out_rounds() {
  const int layers = shape_.layers, batches = shape_.micro_batches;
  std::vector<Section> sections;
  std::vector<int> last(static_cast<std::size_t>(batches), -1);  // round of each micro-batch so far
  const auto add = [&](std::vector<int>& chain, int batch, int layer, Direction direction, int predecessor) {
    rounds_.push_back({batch, layer, direction, predecessor, false});
    chain.push_back(last[static_cast<std::size_t>(batch)] = static_cast<int>(rounds_.size()) - 1);
  };
  const auto forward = [&](int batch, std::vector<int>& chain) {
    for (int layer = 0; layer < layers; ++layer) {
      // It takes the place of the micro-batch that is so many before it.
      const int before = batch - shape_.in_flight;
      const int whose = layer == 0 && before >= 0 ? before : batch;
      add(chain, batch, layer, Direction::kForward, last[static_cast<std::size_t>(whose)]);
    }
  };
  const auto backward = [&](int batch, std::vector<int>& chain) {
    for (int layer = layers - 1; layer >= 0; --layer) {
      add(chain, batch, layer, Direction::kBackward, last[static_cast<std::size_t>(batch)]);
      rounds_.back().all_reduce = shape_.all_reduce && batch == batches - 1;
    }
  };
  if (shape_.in_flight == 1) {
    for (int batch = 0; batch < batches; ++batch) {
      sections.push_back({{}});
      forward(batch, sections.back().front());
      if (shape_.backward) backward(batch, sections.back().front());
    }
  } else if (!shape_.backward) {
    for (int batch = 0; batch < batches; batch += 2) {
      sections.push_back(Section(static_cast<std::size_t>(std::min(2, batches - batch))));
      for (int i = 0; i < static_cast<int>(sections.back().size()); ++i)
        forward(batch + i, sections.back()[static_cast<std::size_t>(i)]);
    }
  } else {
    for (int batch = 0; batch <= batches; ++batch) {
      sections.push_back(Section(2));
      if (batch < batches) forward(batch, sections.back()[0]);
      if (batch > 0) backward(batch - 1, sections.back()[1]);
    }
  }
  return sections;
}

Waits StepPlan::waits(const AnySchedule& schedule, const Round& round, Task task) const {
  const bool forward = round.direction == Direction::kForward;
  switch (task.stage) {
    case Stage::kDense:
      return forward ? wait_for_previous_layer() : wait_for_whole(Stage::kCombine, false);
    case Stage::kShared:
      return forward && shape_.dense ? wait_for_whole(Stage::kDense, false) : wait_for_previous_layer();
    case Stage::kWeightGradL2:
    case Stage::kWeightGradL1:
      return wait_for_whole(Stage::kAct, false);
    case Stage::kWeightGradSide: {
      Waits all;
      if (shape_.shared) all.add(wait_for_whole(Stage::kShared, false));
      if (shape_.dense) all.add(wait_for_whole(Stage::kDense, false));
      return all;
    }
    case Stage::kAllReduce:
      return wait_for_whole(Stage::kWeightGradSide, true);
    default:
      break;
  }
  Waits result;
  for (const Wait& wait : std::visit([&](const auto& walk) { return walk.waits(task); }, schedule)) {
    const bool after_dense = wait.previous_layer && forward && shape_.dense;
    result.add(after_dense ? wait_for_whole(Stage::kDense, true) : wait);
  }
  // A token's sum has the shared expert's result in it.
  if (task.stage == Stage::kCombine && shape_.shared) result.add(wait_for_whole(Stage::kShared, false));
  return result;
}

int StepPlan::tasks_in_all() const {
  int sum = 0;
  for (const auto& order : orders_) sum += static_cast<int>(order.size());
  return sum;
}

// Plays the step with every engine in order, on one rank that stands for all.
void StepPlan::check_that_it_runs() const {
  TaskTable<int> done(rounds(), 1, parts_);
  TaskTable<int> stage_done(rounds(), 1, 1);
  TaskTable<int> stage_tasks(rounds(), 1, 1);
  for_each([&](int round, Task task) { ++stage_tasks.at(round, 0, {task.stage, 0}); });
  std::vector<std::size_t> position(orders_.size(), 0);
  int left = tasks_in_all();
  for (bool moved = true; moved && left > 0;) {
    moved = false;
    for (std::size_t engine = 0; engine < orders_.size(); ++engine) {
      while (position[engine] < orders_[engine].size()) {
        const Entry& entry = orders_[engine][position[engine]];
        const auto all = inputs(entry);
        const bool ready = std::all_of(all.begin(), all.end(), [&](const Input& input) {
          if (input.round == Input::kStepBefore) return true;
          const Task stage{input.task.stage, 0};
          return input.whole_stage ? stage_done.at(input.round, 0, stage) == stage_tasks.at(input.round, 0, stage)
                                   : done.at(input.round, 0, input.task) == 1;
        });
        if (!ready) break;
        ++done.at(entry.round, 0, entry.task);
        ++stage_done.at(entry.round, 0, {entry.task.stage, 0});
        ++position[engine], --left;
        moved = true;
      }
    }
  }
  if (left > 0) throw std::logic_error("the step blocks itself");
}

}  // namespace moescope::reference
