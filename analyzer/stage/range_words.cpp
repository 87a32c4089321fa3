// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/range_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace moescope {
namespace {

// A run of letters or of digits.
struct Word {
  std::string lower;         // of letters
  std::string_view as_is;    // of letters
  std::int64_t number = -1;  // of digits, -1: letters, or too many digits
  bool digits = false;
  bool attached = false;  // follows the word before without anything between
  bool last = false;
};

std::vector<Word> words_of(std::string_view name) {
  constexpr std::size_t kMostDigits = 15;
  std::vector<Word> words;
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t end_before = std::string_view::npos;
  for (std::size_t i = 0; i < name.size();) {
    const bool digits = digit(name[i]);
    if (!digits && !letter(name[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < name.size() && (digits ? digit(name[end]) : letter(name[end]))) ++end;
    Word word;
    word.as_is = name.substr(i, end - i);
    word.digits = digits;
    word.attached = i == end_before;
    if (!digits) {
      for (const char c : word.as_is) word.lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (end - i <= kMostDigits) {
      word.number = 0;
      for (const char c : word.as_is) word.number = word.number * 10 + (c - '0');
    }
    words.push_back(std::move(word));
    i = end_before = end;
  }
  if (!words.empty()) words.back().last = true;
  return words;
}

// One value, or two that differ and so none.
template <class T>
class Said {
 public:
  void say(T value) {
    if (said_ && value != value_) contradicted_ = true;
    said_ = true;
    value_ = value;
  }
  T or_else(T none) const { return said_ && !contradicted_ ? value_ : none; }

 private:
  bool said_ = false, contradicted_ = false;
  T value_{};
};

bool is_any(std::string_view word, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), word) != of.end();
}

Pass pass_of(const Word& word, bool in_brackets) {
  if (is_any(word.lower, {"forward", "fwd"})) return Pass::kFORWARD;
  if (is_any(word.lower, {"backward", "bwd"})) return Pass::kBACKWARD;
  if (is_any(word.lower, {"wgrad"})) return Pass::kBACKWARD_WEIGHT;
  if (is_any(word.lower, {"dgrad"})) return Pass::kBACKWARD_INPUT;
  if (is_any(word.lower, {"recompute"})) return Pass::kRECOMPUTE;
  if (!word.attached && (word.last || in_brackets)) {
    if (word.as_is == "F") return Pass::kFORWARD;
    if (word.as_is == "B") return Pass::kBACKWARD;
    if (word.as_is == "W") return Pass::kBACKWARD_WEIGHT;
  }
  return Pass::kUNKNOWN;
}

StepKind kind_of(std::string_view word) {
  if (is_any(word, {"decode"})) return StepKind::kDECODE;
  if (is_any(word, {"prefill", "extend"})) return StepKind::kPREFILL;
  if (is_any(word, {"mixed"})) return StepKind::kMIXED;
  if (is_any(word, {"train", "training"})) return StepKind::kTRAIN;
  return StepKind::kUNKNOWN;
}

// vLLM's "execute_32_context_2(...)_generation_30(...)": requests in prefill and in decode.
void serving_step(const std::vector<Word>& words, RangeWords& says) {
  if (words.empty() || words[0].lower != "execute") return;
  std::int64_t context = -1, generation = -1;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i].lower == "context") context = words[i + 1].number;
    if (words[i].lower == "generation") generation = words[i + 1].number;
  }
  if (context < 0 || generation < 0) return;
  says.step = true;
  says.step_kind = context > 0 && generation > 0 ? StepKind::kMIXED
                   : context > 0                 ? StepKind::kPREFILL
                   : generation > 0              ? StepKind::kDECODE
                                                 : StepKind::kUNKNOWN;
}

}  // namespace

RangeWords range_words(std::string_view name) {
  constexpr std::int64_t kMostLayers = 100'000;
  RangeWords says;
  const std::vector<Word> words = words_of(name);
  Said<std::int32_t> layer, micro_batch;
  Said<Pass> pass;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.digits) continue;
    const std::size_t at = static_cast<std::size_t>(word.as_is.data() - name.data());
    const std::size_t after = at + word.as_is.size();
    const bool in_brackets = at > 0 && after < name.size() && (name[at - 1] == '(' || name[at - 1] == '[') &&
                             (name[after] == ')' || name[after] == ']');
    if (const Pass one = pass_of(word, in_brackets); one != Pass::kUNKNOWN) pass.say(one);
    if (word.lower == "step" && i + 1 < words.size() && !words[i + 1].digits && after < name.size() &&
        name[after] == '[') {  // SGLang's "step[DECODE bs=4]"
      says.step = true;
      says.step_kind = kind_of(words[i + 1].lower);
    }
    if (i + 1 == words.size() || !words[i + 1].digits || words[i + 1].number < 0) continue;
    const std::int64_t number = words[i + 1].number;
    if (is_any(word.lower, {"layer", "layers"}) && number < kMostLayers) {
      layer.say(static_cast<std::int32_t>(number));
      if (i + 2 < words.size() && words[i + 2].attached) {  // "layer_3f"
        if (words[i + 2].lower == "f") pass.say(Pass::kFORWARD);
        if (words[i + 2].lower == "b") pass.say(Pass::kBACKWARD);
      }
    }
    const bool two_words = word.lower == "batch" && i > 0 && words[i - 1].lower == "micro";
    if ((two_words || is_any(word.lower, {"mb", "ubatch", "microbatch"})) && number < kMostLayers)
      micro_batch.say(static_cast<std::int32_t>(number));
    if (is_any(word.lower, {"step", "profilerstep", "iteration", "iter"})) {
      says.step = true;
      says.step_number = number;
    }
  }
  says.layer = layer.or_else(-1);
  says.micro_batch = micro_batch.or_else(-1);
  says.pass = pass.or_else(Pass::kUNKNOWN);
  serving_step(words, says);
  return says;
}

}  // namespace moescope
