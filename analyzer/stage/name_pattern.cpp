// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/name_pattern.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "analyzer/stage/pattern_parser.h"

namespace moescope {
namespace {

using Instruction = NamePattern::Instruction;
using Kind = Instruction::Kind;

constexpr std::size_t kLongestProgram = 20000;
constexpr std::size_t kShortestListed = 4, kMostLists = 4;  // see needed_lists()
constexpr std::size_t kLongestLookedAhead = 2000;           // its cost is quadratic, and it only saves time

class Compiler {
 public:
  Compiler(std::vector<Instruction>& program, std::vector<NamePattern::Set>& sets) : program_(program), sets_(sets) {}

  void emit(const PatternNode& node) {
    if (++steps_ > kLongestProgram * 10) throw std::invalid_argument("the pattern is too large");
    switch (node.kind) {
      case PatternNode::Kind::kByte:
        push(Kind::kByte).byte = node.byte;
        break;
      case PatternNode::Kind::kSet:
        push(Kind::kSet).to = static_cast<std::int32_t>(sets_.size());
        sets_.push_back(node.set);
        break;
      case PatternNode::Kind::kBegin:
        push(Kind::kBegin);
        break;
      case PatternNode::Kind::kEnd:
        push(Kind::kEnd);
        break;
      case PatternNode::Kind::kWordEdge:
        push(Kind::kWordEdge);
        break;
      case PatternNode::Kind::kSequence:
        for (const PatternNode& child : node.children) emit(child);
        break;
      case PatternNode::Kind::kChoice:
        emit_choice(node);
        break;
      case PatternNode::Kind::kRepeat:
        emit_repeat(node);
        break;
    }
  }
  Instruction& push(Kind kind) {
    if (program_.size() >= kLongestProgram) throw std::invalid_argument("the pattern is too large");
    program_.push_back({kind, 0, 0, 0, -1});
    return program_.back();
  }

 private:
  void push_split() {  // whose first way leads to what follows
    Instruction& split = push(Kind::kSplit);
    split.to = here();
  }
  std::int32_t here() const { return static_cast<std::int32_t>(program_.size()); }

  void emit_choice(const PatternNode& node) {
    std::vector<std::size_t> jumps;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const bool last = i + 1 == node.children.size();
      const std::size_t split = program_.size();
      if (!last) push_split();
      emit(node.children[i]);
      if (last) break;
      jumps.push_back(program_.size());
      push(Kind::kJump);
      program_[split].other = here();
    }
    for (const std::size_t jump : jumps) program_[jump].to = here();
  }

  void emit_repeat(const PatternNode& node) {
    const PatternNode& child = node.children.front();
    for (int i = 0; i < node.least; ++i) emit(child);
    if (node.most < 0) {
      const std::size_t split = program_.size();
      push_split();
      emit(child);
      push(Kind::kJump).to = static_cast<std::int32_t>(split);
      program_[split].other = here();
      return;
    }
    std::vector<std::size_t> splits;
    for (int i = node.least; i < node.most; ++i) {
      splits.push_back(program_.size());
      push_split();
      emit(child);
    }
    for (const std::size_t split : splits) program_[split].other = here();
  }

  std::vector<Instruction>& program_;
  std::vector<NamePattern::Set>& sets_;
  std::size_t steps_ = 0;
};

using Texts = std::vector<std::string>;

// Whichever of two lists of needed texts is the better filter: the longer its shortest text, the rarer.
std::size_t strength(const Texts& texts) {
  if (texts.empty()) return 0;
  std::size_t shortest = texts.front().size();
  for (const std::string& text : texts) shortest = std::min(shortest, text.size());
  return texts.size() > 40 ? 0 : shortest;
}

// The one text a node stands for, where it is that simple.
std::optional<std::string> exact_text(const PatternNode& node) {
  if (node.kind == PatternNode::Kind::kByte) return std::string(1, static_cast<char>(node.byte));
  if (node.kind != PatternNode::Kind::kSequence) return std::nullopt;
  std::string text;
  for (const PatternNode& child : node.children) {
    const auto part = exact_text(child);
    if (!part) return std::nullopt;
    text += *part;
  }
  return text;
}

// Lists of texts, of each of which every match of the node contains one.
std::vector<Texts> needed(const PatternNode& node) {
  switch (node.kind) {
    case PatternNode::Kind::kByte:
      return {{std::string(1, static_cast<char>(node.byte))}};
    case PatternNode::Kind::kSequence: {
      std::vector<Texts> all;
      std::string run;
      const auto end_run = [&] {
        if (!run.empty()) all.push_back({run});
        run.clear();
      };
      for (const PatternNode& child : node.children) {
        if (const auto text = exact_text(child)) {
          run += *text;
          continue;
        }
        if (child.kind == PatternNode::Kind::kWordEdge) continue;  // takes no byte: the run goes on
        end_run();
        for (Texts& texts : needed(child)) all.push_back(std::move(texts));
      }
      end_run();
      return all;
    }
    case PatternNode::Kind::kChoice: {
      Texts all;
      for (const PatternNode& child : node.children) {
        std::vector<Texts> lists = needed(child);
        if (lists.empty()) return {};
        Texts& best = *std::max_element(lists.begin(), lists.end(), [](const Texts& one, const Texts& other) {
          return strength(one) < strength(other);
        });
        all.insert(all.end(), best.begin(), best.end());
      }
      return {all};
    }
    case PatternNode::Kind::kRepeat:
      return node.least > 0 ? needed(node.children.front()) : std::vector<Texts>{};
    default:
      return {};
  }
}

bool is_word(unsigned char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The states an automaton is in at one place of the name, each once.
class StateSet {
 public:
  void clear(std::size_t states) {
    states_.clear();
    if (seen_at_.size() < states) seen_at_.resize(states, 0);
    if (++round_ == 0) {  // the count came round: nothing of old may look new
      std::fill(seen_at_.begin(), seen_at_.end(), 0);
      round_ = 1;
    }
  }
  // True the first time; a state that takes no byte is only passed.
  bool pass(std::int32_t state) {
    auto& seen = seen_at_[static_cast<std::size_t>(state)];
    if (seen == round_) return false;
    seen = round_;
    return true;
  }
  void insert(std::int32_t state) {
    if (pass(state)) states_.push_back(state);
  }
  const std::vector<std::int32_t>& states() const { return states_; }
  bool empty() const { return states_.empty(); }

 private:
  std::vector<std::uint32_t> seen_at_;
  std::vector<std::int32_t> states_;
  std::uint32_t round_ = 0;
};

// Kept by thread, since names are many and most are short.
struct Scratch {
  StateSet now, next;
  std::vector<std::int32_t> pending;
};

}  // namespace

NamePattern::NamePattern(std::string_view pattern) {
  const PatternNode tree = parse_pattern(pattern);
  Compiler compiler(program_, sets_);
  compiler.emit(tree);
  compiler.push(Kind::kMatch);
  needed_lists_ = needed(tree);
  std::stable_sort(needed_lists_.begin(), needed_lists_.end(),
                   [](const Texts& one, const Texts& other) { return strength(one) > strength(other); });
  if (!needed_lists_.empty() && strength(needed_lists_.front()) > 0) needed_ = needed_lists_.front();
  std::erase_if(needed_lists_, [](const Texts& texts) { return strength(texts) < kShortestListed; });
  if (needed_lists_.size() > kMostLists) needed_lists_.resize(kMostLists);
  const Ahead ahead = ahead_of(0);
  first_ = ahead.bytes;
  takes_nothing_ = ahead.nothing;
  at_begin_only_ = ahead.past_begin_only;
  if (program_.size() > kLongestLookedAhead) return;
  for (std::size_t state = 0; state < program_.size(); ++state) {
    if (program_[state].kind != Kind::kSplit) continue;
    const Ahead split = ahead_of(static_cast<std::int32_t>(state));
    if (split.nothing) continue;
    program_[state].ahead = static_cast<std::int32_t>(sets_.size());
    sets_.push_back(split.bytes);
  }
}

// What is reached from a state before a byte is taken: the bytes that can be taken then, whether a match is possible
// without one, and whether all of it lies behind a ^.
NamePattern::Ahead NamePattern::ahead_of(std::int32_t from) const {
  Ahead ahead;
  std::vector<char> seen(program_.size() * 2, 0);
  std::vector<std::pair<std::int32_t, bool>> pending = {{from, false}};
  while (!pending.empty()) {
    const auto [state, begun] = pending.back();
    pending.pop_back();
    char& been = seen[static_cast<std::size_t>(state) * 2 + begun];
    if (been) continue;
    been = 1;
    const Instruction& op = program_[static_cast<std::size_t>(state)];
    switch (op.kind) {
      case Kind::kByte:
        ahead.bytes.add(op.byte);
        ahead.past_begin_only &= begun;
        break;
      case Kind::kSet:
        ahead.bytes.add(sets_[static_cast<std::size_t>(op.to)]);
        ahead.past_begin_only &= begun;
        break;
      case Kind::kMatch:
        ahead.nothing = true;
        ahead.past_begin_only &= begun;
        break;
      case Kind::kSplit:
        pending.emplace_back(op.other, begun);
        pending.emplace_back(op.to, begun);
        break;
      case Kind::kJump:
        pending.emplace_back(op.to, begun);
        break;
      case Kind::kBegin:
        pending.emplace_back(state + 1, true);
        break;
      case Kind::kEnd:
      case Kind::kWordEdge:
        pending.emplace_back(state + 1, begun);
        break;
    }
  }
  return ahead;
}

bool NamePattern::found_in(std::string_view name) const {
  if (!needed_.empty() && std::none_of(needed_.begin(), needed_.end(), [name](const std::string& text) {
        return name.find(text) != std::string_view::npos;
      }))
    return false;
  return found_by_automaton(name);
}

bool NamePattern::found_by_automaton(std::string_view name) const {
  static thread_local Scratch scratch;
  StateSet &now = scratch.now, &next = scratch.next;
  std::vector<std::int32_t>& pending = scratch.pending;
  now.clear(program_.size());
  next.clear(program_.size());
  // Adds the states that are reached without taking a byte and take the next one; true where a match is reached.
  const auto add = [&](StateSet& set, std::int32_t first, std::size_t at) {
    const bool more = at < name.size();
    const auto c = static_cast<unsigned char>(more ? name[at] : 0);
    pending.assign(1, first);
    while (!pending.empty()) {
      const std::int32_t state = pending.back();
      pending.pop_back();
      const Instruction& op = program_[static_cast<std::size_t>(state)];
      switch (op.kind) {
        case Kind::kMatch:
          return true;
        case Kind::kByte:
          if (more && op.byte == c) set.insert(state);
          break;
        case Kind::kSet:
          if (more && sets_[static_cast<std::size_t>(op.to)].has(c)) set.insert(state);
          break;
        case Kind::kJump:
          pending.push_back(op.to);
          break;
        case Kind::kSplit:
          if (op.ahead >= 0 && !(more && sets_[static_cast<std::size_t>(op.ahead)].has(c))) break;
          if (!set.pass(state)) break;
          pending.push_back(op.other);
          pending.push_back(op.to);
          break;
        case Kind::kBegin:
          if (at == 0) pending.push_back(state + 1);
          break;
        case Kind::kEnd:
          if (!more) pending.push_back(state + 1);
          break;
        case Kind::kWordEdge: {
          const bool before = at > 0 && is_word(static_cast<unsigned char>(name[at - 1]));
          if (before != (more && is_word(c))) pending.push_back(state + 1);
          break;
        }
      }
    }
    return false;
  };
  for (std::size_t at = 0;; ++at) {
    if (now.empty() && !takes_nothing_) {  // nothing under way: on to the next place where a match can begin
      if (at_begin_only_ && at > 0) return false;
      while (at < name.size() && !first_.has(static_cast<unsigned char>(name[at]))) ++at;
      if (at_begin_only_ && at > 0) return false;
    }
    const bool may_begin = takes_nothing_ || (at < name.size() && first_.has(static_cast<unsigned char>(name[at])));
    if (may_begin && add(now, 0, at)) return true;
    if (at == name.size()) return false;
    next.clear(program_.size());
    for (const std::int32_t state : now.states())
      if (add(next, state + 1, at + 1)) return true;
    std::swap(now, next);
  }
}

}  // namespace moescope
