// SPDX-License-Identifier: Apache-2.0
// Names and patterns nobody would write: an answer, or invalid_argument for a pattern, in bounded time.
#include <stdexcept>

#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/rule_set.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("any name gets an answer, and the same with and without the cheap test") {
  test::Mutator mutator(6, {"deep_ep::", "dispatch<", "combine<", "nccl", "_ZN", "(anonymous namespace)::", "<", ">",
                            "::", "at::native::", "GemmType)1", ", true", std::string(300, 'x')});
  const std::vector<std::string> seeds = {
      "void deep_ep::internode::dispatch<false, 8, true, 8>(int4*, float*)",
      "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
      "_ZN7deep_ep12internode_ll8dispatchILb1ELi3ELi10ELi7168EEEvPv", "triton_poi_fused_silu_mul_0",
      "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 4096u, 7168u, 1u, (deep_gemm::GemmType)1>(int)"};
  for (int i = 0; i < 400; ++i) {
    const std::string name = i % 10 == 9 ? mutator.noise(3'000) : mutator.mutate(seeds[mutator.below(seeds.size())]);
    const std::string readable = readable_kernel_name(name);
    RuleSet::builtin().first_match(RuleKind::kKernel, readable);
    for (const StageRule& rule : builtin_rules().subspan(mutator.below(builtin_rules().size() - 5), 5)) {
      const NamePattern pattern(rule.pattern);
      REQUIRE(pattern.found_in(readable) == pattern.found_by_automaton(readable));
    }
  }
}

TEST_CASE("any pattern compiles or is refused, and then matches in bounded time") {
  test::Mutator mutator(7, {"(", ")", "(?:", "[",  "]",   "[^",  "{", "}", "{3}", "{2,64}",  "*",
                            "+", "?", "|",   "\\", "\\b", "\\w", "^", "$", "-",   "{64}{64}"});
  const std::vector<std::string> seeds = {R"(\b(?:deep_ep|dpsk::ep)::(?:legacy::)?internode::dispatch<)",
                                          R"(^[^<>]*, (?:\(bool\)1|true)>)", R"(a{1,4}(?:b*|c+?)[x-z_]$)"};
  const std::string name = "void deep_ep::internode::dispatch<false, 8, true, 8>(" + std::string(500, 'a') + ")";
  std::size_t compiled = 0;
  for (int i = 0; i < 4'000; ++i) {
    std::string pattern = i % 10 == 9 ? mutator.noise(40) : mutator.mutate(seeds[mutator.below(seeds.size())]);
    if (i % 2) pattern = mutator.mutate(pattern);
    try {
      const NamePattern made(pattern);
      ++compiled;
      REQUIRE(made.found_in(name) == made.found_by_automaton(name));
    } catch (const std::invalid_argument&) {
    }
  }
  CHECK(compiled > 500);
  CHECK(compiled < 3'900);
}
