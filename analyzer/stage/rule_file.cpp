// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/rule_file.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "analyzer/model/nearest_word.h"
#include "analyzer/model/trace_error.h"
#include "analyzer/stage/name_pattern.h"
#include "analyzer/stage/rule_text.h"

namespace moescope {
namespace {

constexpr std::string_view kForm = "write KIND /PATTERN/ STAGES, as in: kernel /my_dispatch</ dispatch";
constexpr std::size_t kLargestFile = 16 << 20;
constexpr RuleKind kKinds[] = {RuleKind::kKernel, RuleKind::kRange, RuleKind::kCollective, RuleKind::kCopy};

template <class Value>
struct Words {  // a vocabulary: texts and what they stand for
  std::vector<std::string> texts;
  std::vector<Value> values;
  std::optional<Value> find(std::string_view text) const {
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (texts[i] == text) return values[i];
    return std::nullopt;
  }
};
template <class Value>
Words<Value> words(int count) {
  Words<Value> all;
  for (int i = 0; i < count; ++i) {
    all.values.push_back(static_cast<Value>(i));
    all.texts.emplace_back(name(all.values.back()));
  }
  return all;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// A text that is meant as it stands, as a pattern.
std::string literal_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

class LineParser {
 public:
  LineParser(std::string_view line, const std::string& path, std::size_t number, UserRules& into)
      : line_(line), path_(path), number_(number), into_(into) {}

  void parse() {
    skip();
    if (done()) return;
    StageRule rule{};
    rule.priority = 0;  // before every builtin rule
    rule.kind = kind();
    rule.pattern = keep(pattern()).c_str();
    skip();
    if (done()) fail("the rule names no stage", kForm);
    stages(word(), rule);
    rule.framework = "user";
    rule.provenance = keep(path_ + ":" + std::to_string(number_));
    for (skip(); !done(); skip()) option(word(), rule);
    into_.rules.push_back(rule);
  }

 private:
  [[noreturn]] void fail(const std::string& trouble, std::string_view mend) const {
    throw TraceError(path_ + ":" + std::to_string(number_), "", trouble, std::string(mend));
  }
  template <class Value>
  [[noreturn]] void unknown(const char* what, std::string_view text, const Words<Value>& known) const {
    fail(std::string("unknown ") + what + " '" + std::string(text.substr(0, 40)) + "'",
         "did you mean '" + nearest_word(text, known.texts) + "'?");
  }
  const std::string& keep(std::string text) { return into_.texts.emplace_back(std::move(text)); }

  void skip() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
  }
  bool done() const { return at_ == line_.size() || line_[at_] == '#'; }
  std::string_view word() {
    const std::size_t first = at_;
    while (at_ < line_.size() && !is_space(line_[at_])) ++at_;
    return line_.substr(first, at_ - first);
  }

  RuleKind kind() {
    const std::string_view text = word();
    Words<RuleKind> kinds;
    for (const RuleKind kind : kKinds) {
      kinds.values.push_back(kind);
      kinds.texts.emplace_back(name(kind));
    }
    const auto known = kinds.find(text);
    if (known) return *known;
    if (text.front() == '/' || text.front() == '"') fail("the rule does not begin with a kind of name", kForm);
    unknown("kind of name", text, kinds);
  }

  std::string pattern() {
    skip();
    const char quote = done() ? ' ' : line_[at_];
    if (quote != '/' && quote != '"') fail("the rule has no /pattern/ or \"text\" after its kind", kForm);
    const std::size_t first = ++at_;
    while (at_ < line_.size() && line_[at_] != quote) at_ += quote == '/' && line_[at_] == '\\' ? 2 : 1;
    if (at_ >= line_.size())
      fail(std::string("the pattern has no closing ") + quote, quote == '/' ? "write a slash in it as \\/" : kForm);
    const std::string_view text = line_.substr(first, at_++ - first);
    if (at_ < line_.size() && !is_space(line_[at_]))
      fail("the pattern ends before '" + std::string(line_.substr(at_, 20)) + "'", "write a slash in it as \\/");
    std::string pattern = quote == '"' ? literal_pattern(text) : std::string(text);
    try {
      if (NamePattern(pattern).found_in("")) fail("the pattern matches every name", "say what the name must hold");
    } catch (const std::invalid_argument& error) {
      fail(std::string("the pattern can't be read: ") + error.what(),
           "write what is meant as it stands with a backslash before it, or in quotes");
    }
    return pattern;
  }

  // l1+act: one kernel does both. l1|l2: one of them, the likeliest first.
  void stages(std::string_view text, StageRule& rule) const {
    static const Words<Stage> kStages = words<Stage>(kStageCount);
    StageSet all;
    std::size_t ways = 0;
    for (std::size_t first = 0; first <= text.size(); ++ways) {
      const std::size_t end = std::min(text.find('|', first), text.size());
      StageSet together;
      for (std::size_t from = first; from <= end;) {
        const std::size_t to = std::min(text.find('+', from), end);
        const std::string_view one = text.substr(from, to - from);
        const auto stage = kStages.find(one);
        if (one.empty()) fail("a stage is missing beside + or |", "write l1+act for both, l1|l2 for one of them");
        if (!stage) unknown("stage", one, kStages);
        if (*stage == Stage::kUNATTRIBUTED) fail("a rule can't say 'unattributed'", "use other");
        together = together | *stage;
        from = to + 1;
      }
      if (ways == 0) rule.stages = together;
      all = all | together;
      first = end + 1;
    }
    if (ways > 1) rule.candidates = all;
  }

  void option(std::string_view text, StageRule& rule) {
    static const Words<Pass> kPasses = words<Pass>(MOESCOPE_PASS_COUNT);
    static const Words<Part> kParts = words<Part>(MOESCOPE_PART_COUNT);
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
    if (key == "priority") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), rule.priority);
      if (error != std::errc() || end != value.data() + value.size())
        fail("'" + std::string(text.substr(0, 40)) + "' is no priority", "write a whole number: priority=50");
    } else if (key == "pass") {
      const auto pass = kPasses.find(value);
      if (!pass) unknown("pass", value, kPasses);
      rule.pass = *pass;
    } else if (key == "part") {
      const auto part = kParts.find(value);
      if (!part) unknown("part", value, kParts);
      rule.part = *part;
    } else if (key == "framework" && !value.empty()) {
      rule.framework = keep(std::string(value));
    } else {
      fail("'" + std::string(text.substr(0, 40)) + "' is not an option of a rule",
           "there are priority=, pass=, part= and framework=");
    }
  }

  std::string_view line_;
  const std::string& path_;
  std::size_t number_, at_ = 0;
  UserRules& into_;
};

}  // namespace

void parse_stage_rules(std::string_view text, const std::string& path, UserRules& into) {
  const std::size_t rules = into.rules.size(), texts = into.texts.size();
  try {
    std::size_t number = 0;
    for (std::size_t first = 0; first < text.size();) {
      const std::size_t end = std::min(text.find('\n', first), text.size());
      LineParser(text.substr(first, end - first), path, ++number, into).parse();
      first = end + 1;
    }
    if (into.rules.size() == rules) throw TraceError(path, "", "has no rules", std::string(kForm));
  } catch (const TraceError&) {
    into.rules.resize(rules);
    into.texts.resize(texts);
    throw;
  }
}

void read_stage_rules(const std::string& path, UserRules& into) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw TraceError(path, "", "can't be read", "name an existing file of rules");
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw TraceError(path, "", "can't be read", "name an existing file of rules");
  if (text.size() > kLargestFile) throw TraceError(path, "", "is larger than 16 MB", "name a file of rules");
  parse_stage_rules(text, path, into);
}

}  // namespace moescope
