// SPDX-License-Identifier: Apache-2.0
// Names and patterns nobody would write: an answer, or invalid_argument for a pattern, in bounded time.
#include <stdexcept>

#include "analyzer/model/trace_error.h"
#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/kernel_shape.h"
#include "analyzer/stage/rule_file.h"
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

TEST_CASE("any rule file is read whole or refused in one line that names the place") {
  test::Mutator mutator(8, {"kernel ",
                            "range ",
                            "collective ",
                            "copy ",
                            "/",
                            "\\/",
                            "\"",
                            "l1",
                            "+",
                            "|",
                            "act",
                            "pass=",
                            "part=",
                            "priority=",
                            "-99999999999",
                            "forward",
                            "sync",
                            "#",
                            "\n",
                            "\r\n",
                            "\t",
                            std::string(1, '\0')});
  const std::string seed =
      "# ours\nkernel /a(?:b|c)<\\d+>/ dispatch+l1 pass=forward part=sync priority=40 framework=acme # why\n"
      "range \"f(int)\" l1|l2\n\ncopy /PtoP/ combine\n";
  std::size_t read = 0;
  for (int i = 0; i < 6'000; ++i) {
    std::string text = i % 20 == 19 ? mutator.noise(200) : mutator.mutate(seed);
    if (i % 2) text = mutator.mutate(text);
    const auto rules = std::make_shared<UserRules>();
    try {
      parse_stage_rules(text, "my.rules", *rules);
      REQUIRE_FALSE(rules->rules.empty());
      ++read;
      if (i % 50 == 0) RuleSet(rules).first_match(RuleKind::kKernel, "void ab<1>(int)");
    } catch (const TraceError& error) {
      REQUIRE(std::string(error.what()).starts_with("my.rules"));
      REQUIRE(rules->rules.empty());
      REQUIRE(rules->texts.empty());
    }
  }
  CHECK(read > 150);
  CHECK(read < 5'500);
}

TEST_CASE("any name gives a shape or none") {
  test::Mutator mutator(
      9, {"mega_moe_impl<", "internode_ll::dispatch<", "elastic::dispatch_impl<", "fp8_gemm_kernel<", "GemmType)2", ">",
          "<", "(", ")", ", ", "8u", "(bool)1", "true", "99999999999999", "-1", "0u"});
  const std::vector<std::string> seeds = {
      "void deep_gemm::sm100_fp8_fp4_mega_moe_impl<8192u, 7168u, 3072u, 384u, 6u, 3u, 192u, 128u, 128u, 32u, 256u, "
      "128u, "
      "65536u, 65536u, 6u, 4096u, 128u, 128u, 256u, 148u, 8u, (float)[41200000], true, 6144u>(void*)",
      "void deep_ep::elastic::dispatch_impl<true, 3, true, false, 20, 4, 12, 8, 7168, 56, 4096, 256, 8, 128, 0>(void*)",
      "void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 64u, 160u, 128u, 32u, 4u, 128u, 128u, 1u, true, "
      "(deep_gemm::GemmType)2>(int)",
      "bmm_E4m3_E4m3E4m3_Fp32_t128x64x128u2_s6_et64x64_dynB_sm100f", "_matmul_ogs_NNT_16x256x128x1_swiglu"};
  std::size_t shapes = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = i % 10 == 9 ? mutator.noise(300) : mutator.mutate(seeds[mutator.below(seeds.size())]);
    const auto shape = kernel_shape(name);
    shapes += shape.has_value();
    if (shape && shape->ranks > 0 && shape->experts > 0) REQUIRE(shape->experts % shape->ranks == 0);
  }
  CHECK(shapes > 3'000);
}
