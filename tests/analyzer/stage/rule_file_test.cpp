// SPDX-License-Identifier: Apache-2.0
// Rules of the user's: read, refused with the place and the mend, tried in the order of priority.
#include "analyzer/stage/rule_file.h"

#include <filesystem>

#include "analyzer/model/trace_error.h"
#include "analyzer/stage/rule_set.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

std::shared_ptr<UserRules> parsed(std::string_view text) {
  auto rules = std::make_shared<UserRules>();
  parse_stage_rules(text, "my.rules", *rules);
  return rules;
}

std::string trouble_with(std::string_view text) {
  UserRules rules;
  try {
    parse_stage_rules(text, "my.rules", rules);
  } catch (const TraceError& error) {
    CHECK(rules.rules.empty());
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a rule is a kind, a pattern, stages and options; comments and blank lines are passed over") {
  const auto rules = parsed(
      "# ours\r\n"
      "\n"
      "kernel /a\\/b#c/ dispatch+l1 pass=backward_input part=epilogue framework=acme priority=-3 # why\n"
      "\t range  \"f<(int)8>(x*)\"\tl1|l2|other\n"
      "collective /^x/ alltoall\n"
      "copy /PtoP/ combine");
  REQUIRE(rules->rules.size() == 4);
  const StageRule& first = rules->rules[0];
  CHECK(first.kind == RuleKind::kKernel);
  CHECK(NamePattern(first.pattern).found_in("xa/b#cx"));
  CHECK(first.stages == (StageSet(Stage::kDISPATCH) | Stage::kL1));
  CHECK(first.candidates == StageSet());
  CHECK(first.pass == Pass::kBACKWARD_INPUT);
  CHECK(first.part == Part::kEPILOGUE);
  CHECK(first.framework == "acme");
  CHECK(first.priority == -3);
  CHECK(first.provenance == "my.rules:3");
  const StageRule& second = rules->rules[1];
  CHECK(second.kind == RuleKind::kRange);
  CHECK(NamePattern(second.pattern).found_in("void f<(int)8>(x*)"));
  CHECK_FALSE(NamePattern(second.pattern).found_in("void f<(int)8>(xx)"));
  CHECK(second.stages == StageSet(Stage::kL1));
  CHECK(second.candidates == (StageSet(Stage::kL1) | Stage::kL2 | Stage::kOTHER));
  CHECK(second.provenance == "my.rules:4");
  CHECK(second.part == Part::kPAYLOAD);
  CHECK(second.framework == "user");
  CHECK(rules->rules[2].kind == RuleKind::kCollective);
  CHECK(rules->rules[3].kind == RuleKind::kCopy);
}

TEST_CASE("a user's rule comes before the builtin ones, unless its priority says otherwise") {
  const char* const name = "void deep_ep::internode::combine<false, 8, __nv_bfloat16>(int4*)";
  const auto decides = [&](std::string_view text) {
    const RuleSet rules(parsed(text));
    return leading_stage(rules.first_match(RuleKind::kKernel, name)->stages);
  };
  REQUIRE(leading_stage(RuleSet::builtin().first_match(RuleKind::kKernel, name)->stages) == Stage::kCOMBINE);
  CHECK(decides("kernel /internode::combine/ allreduce") == Stage::kALLREDUCE);
  CHECK(decides("kernel /internode::combine/ allreduce priority=113") == Stage::kALLREDUCE);  // equal: the user's
  CHECK(decides("kernel /internode::combine/ allreduce priority=114") == Stage::kCOMBINE);
  CHECK(decides("kernel /combine/ l1\nkernel /internode/ l2") == Stage::kL1);  // of equals the first
  CHECK(decides("kernel /combine/ l1\nkernel /internode/ l2 priority=-1") == Stage::kL2);
}

TEST_CASE("what can't be read names the line and the mend") {
  CHECK(trouble_with("# x\nkernel /a/ disptach")
            .starts_with("my.rules:2: unknown stage 'disptach'; did you mean 'dispatch'?"));
  CHECK(trouble_with("kernel /a(/ l1").find("my.rules:1: the pattern can't be read: position 2") == 0);
  CHECK(trouble_with("").find("my.rules: has no rules; write KIND /PATTERN/ STAGES") == 0);
  CHECK(trouble_with("kernel /a/ l1\nkernel /b/ l2 part=data").find("my.rules:2: unknown part 'data'") == 0);
  CHECK(trouble_with("kernel /a\\").find("no closing /") != std::string::npos);
  CHECK(trouble_with("kernel //  l1").find("matches every name") != std::string::npos);
  CHECK(trouble_with("kernel \"\" l1").find("matches every name") != std::string::npos);
  UserRules unread;
  CHECK_THROWS_AS(read_stage_rules("/nonexistent/my.rules", unread), TraceError);
  CHECK_THROWS_AS(read_stage_rules(std::filesystem::temp_directory_path().string(), unread), TraceError);
}

TEST_CASE("a file that can't be read leaves the rules of those before it") {
  const test::ScratchFolder folder;
  test::write_file(folder / "good.rules", "kernel /good/ l1\n");
  test::write_file(folder / "bad.rules", "kernel /good/ l1\nkernel /bad/ nothing\n");
  UserRules rules;
  read_stage_rules(folder / "good.rules", rules);
  CHECK_THROWS_AS(read_stage_rules(folder / "bad.rules", rules), TraceError);
  REQUIRE(rules.rules.size() == 1);
  CHECK(rules.rules[0].provenance == folder / "good.rules" + ":1");
}
