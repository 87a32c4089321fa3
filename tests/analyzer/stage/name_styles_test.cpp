// SPDX-License-Identifier: Apache-2.0
// One kernel has many spellings: mangled, demangled in two styles, cut, without its arguments. The meaning must follow.
#include <algorithm>
#include <random>
#include <regex>

#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/rule_text.h"
#include "tests/analyzer/stage/known_names.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

const StageRule* rule_for(const std::string& name) {
  return RuleSet::builtin().first_match(RuleKind::kKernel, readable_kernel_name(name));
}
std::string meaning(const std::string& spelling) {
  const StageRule* rule = rule_for(spelling);
  if (rule == nullptr) return "unattributed";
  return stage_text(*rule) + " " + std::string(name(rule->part)) + " " + std::string(name(rule->pass));
}
bool is_communication(const std::string& name) {
  const StageRule* rule = rule_for(name);
  return rule != nullptr && kCommunicationStages.contains(leading_stage(rule->stages));
}

// As Nsight's demangler writes it.
std::string nsight_style(const std::string& name) {
  static const std::regex number(R"(([<, ])(\d+)(ul|u|l)?(?=[,> ]))"), truth(R"(([<, ])(true|false)(?=[,> ]))"),
      close(R"(> (?=>))");
  std::string text = std::regex_replace(name, close, ">");
  std::string out;
  std::sregex_iterator it(text.begin(), text.end(), number), end;
  std::size_t from = 0;
  for (; it != end; ++it) {
    const std::string type = (*it)[3] == "ul"  ? "unsigned long"
                             : (*it)[3] == "u" ? "unsigned int"
                             : (*it)[3] == "l" ? "long"
                                               : "int";
    out += text.substr(from, static_cast<std::size_t>(it->position()) - from) + (*it)[1].str() + "(" + type + ")" +
           (*it)[2].str();
    from = static_cast<std::size_t>(it->position() + it->length());
  }
  out += text.substr(from);
  text.clear();
  from = 0;
  for (std::sregex_iterator word(out.begin(), out.end(), truth); word != end; ++word) {
    text += out.substr(from, static_cast<std::size_t>(word->position()) - from) + (*word)[1].str() + "(bool)" +
            ((*word)[2] == "true" ? "1" : "0");
    from = static_cast<std::size_t>(word->position() + word->length());
  }
  text += out.substr(from);
  const std::string anonymous = "(anonymous namespace)";
  for (std::size_t at; (at = text.find(anonymous)) != std::string::npos;)
    text.replace(at, anonymous.size(), "<unnamed>");
  return text;
}

bool is_template(const std::string& name) {
  return name.find('<') != std::string::npos && !name.starts_with("_Z");
}

}  // namespace

TEST_CASE("both demanglers' spellings mean the same") {
  CHECK(nsight_style("void f<8, 128u, true, g<1ul> >(int4*)") ==
        "void f<(int)8, (unsigned int)128, (bool)1, g<(unsigned long)1>>(int4*)");
  std::size_t changed = 0;
  std::string wrong;
  for (const test::KnownName& one : test::known_names()) {
    if (one.kind != RuleKind::kKernel || !is_template(one.name)) continue;
    const std::string other = nsight_style(one.name);
    changed += other != one.name;
    if (meaning(other) != meaning(one.name))
      wrong += other + ": " + meaning(other) + ", not " + meaning(one.name) + "\n";
  }
  INFO(wrong);
  CHECK(wrong.empty());
  CHECK(changed > 80);
}

TEST_CASE("a mangled name means what its demangled spelling means") {
  // Mangled by g++ from declarations with the frameworks' signatures.
  const std::pair<const char*, const char*> names[] = {
      {"_ZN7deep_ep9intranode8dispatchILi8ELi768ELi8192EEEvP4int4PfPKi", "dispatch payload unknown"},
      {"_ZN7deep_ep9intranode21cached_notify_combineILi8EEEvPPvPi", "combine sync unknown"},
      {"_ZN7deep_ep9internode8dispatchILb0ELi8ELb1ELi7EEEvP4int4", "dispatch payload backward"},
      {"_ZN7deep_ep9internode8dispatchILb0ELi8ELb0ELi7EEEvP4int4", "dispatch payload forward"},
      {"_ZN7deep_ep6layout19get_dispatch_layoutILi256ELi32ELi8EEEvPKl", "dispatch meta forward"},
      {"_ZN7deep_ep12internode_ll7combineILb0ELi7168ELi11ELi4EEEvPv", "combine payload unknown"},
      {"_ZN9deep_gemm27sm100_fp8_fp4_mega_moe_implILj8192ELj7168ELj3072ELj384ELj6EEEvPi",
       "dispatch+l1+act+l2+combine payload forward"},
      {"_ZN9deep_gemm15fp8_gemm_kernelILj4096ELj7168ELj128ELNS_8GemmTypeE1EEEvPi", "l1 payload unknown"},
      {"_ZN9deep_gemm15fp8_gemm_kernelILj4096ELj7168ELj128ELNS_8GemmTypeE0EEEvPi", "other payload unknown"},
      {"_ZN5flash19FlashAttnFwdCombineIfLi64EEEvT_", "attention payload forward"},
      {"_ZN3cub23DeviceReduceByKeyKernelINS_19DispatchReduceByKey6PolicyEEEvPi", "other|permute payload unknown"}};
  for (const auto& [mangled, expected] : names) {
    INFO(mangled);
    CHECK(readable_kernel_name(mangled) != mangled);
    CHECK(meaning(mangled) == expected);
  }
}

TEST_CASE("the parameter list and the return type don't matter") {
  std::string wrong;
  for (const test::KnownName& one : test::known_names()) {
    if (one.kind != RuleKind::kKernel || !one.name.starts_with("void ")) continue;
    std::string bare = one.name.substr(5);
    if (bare.ends_with("(int)")) bare.resize(bare.size() - 5);
    if (meaning(bare) != meaning(one.name)) wrong += bare + ": " + meaning(bare) + ", not " + meaning(one.name) + "\n";
    const std::string more = one.name + "::{lambda()#1}";
    if (meaning(more) != meaning(one.name)) wrong += more + ": " + meaning(more) + "\n";
  }
  INFO(wrong);
  CHECK(wrong.empty());
}

TEST_CASE("a name that was cut may lose its meaning, but never becomes communication") {
  std::string wrong;
  std::size_t lost = 0, kept = 0;
  for (const test::KnownName& one : test::known_names()) {
    if (one.kind != RuleKind::kKernel) continue;
    const StageRule* whole = rule_for(one.name);
    const bool communicates = whole != nullptr && whole->stages.intersects(kCommunicationStages);
    for (std::size_t length = 4; length < one.name.size(); ++length) {
      const std::string cut = one.name.substr(0, length);
      if (!communicates && is_communication(cut)) wrong += cut + "\n";
      (rule_for(cut) == nullptr ? lost : kept) += 1;
    }
  }
  INFO(wrong);
  CHECK(wrong.empty());
  CHECK(lost > 1000);
  CHECK(kept > 1000);
}

TEST_CASE("without template arguments a name is known less well, never otherwise") {
  std::string wrong;
  for (const test::KnownName& one : test::known_names()) {
    if (one.kind != RuleKind::kKernel || !is_template(one.name)) continue;
    const std::string bare = one.name.substr(0, one.name.find('<', one.name.starts_with("void <unnamed>") ? 7 : 0));
    const StageRule* rule = rule_for(bare);
    const StageRule* whole = rule_for(one.name);
    if (rule == nullptr || rule == whole) continue;
    if (kCommunicationStages.contains(leading_stage(rule->stages)) && !whole->stages.intersects(kCommunicationStages))
      wrong += bare + ": " + meaning(bare) + ", not " + meaning(one.name) + "\n";
  }
  INFO(wrong);
  CHECK(wrong.empty());
}

TEST_CASE("the filter before the patterns never changes which rule decides") {
  std::vector<std::string> seeds;
  for (const test::KnownName& one : test::known_names()) seeds.push_back(one.name);
  std::mt19937 random(11);
  for (int round = 0; round < 1500; ++round) {
    std::string name = seeds[random() % seeds.size()];
    for (unsigned i = 0, changes = random() % 4; i < changes; ++i) {
      const std::string& other = seeds[random() % seeds.size()];
      const std::size_t at = random() % (name.size() + 1), from = random() % other.size();
      name = name.substr(0, at) + other.substr(from, random() % 40) +
             name.substr(at + std::min(name.size() - at, std::size_t{random() % 3}));
    }
    for (const RuleKind kind : {RuleKind::kKernel, RuleKind::kRange, RuleKind::kCollective, RuleKind::kCopy}) {
      INFO(name);
      REQUIRE(RuleSet::builtin().first_match(kind, name) == RuleSet::builtin().first_match_unfiltered(kind, name));
    }
  }
}
