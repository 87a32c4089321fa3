// SPDX-License-Identifier: Apache-2.0
// What it costs to give a distinct name its meaning, on one core, beside what bounds it in the same run: hashing the
// name once, and trying every rule without the filter before them.
//   bench_rules
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "analyzer/stage/kernel_name.h"
#include "analyzer/stage/kernel_shape.h"
#include "tests/analyzer/stage/known_names.h"

using namespace moescope;

namespace {

// Nanoseconds of this thread's CPU a name, the median of five.
double ns_a_name(const std::vector<std::string>& names, const std::function<std::uint64_t(const std::string&)>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  std::vector<double> times;
  std::uint64_t sum = 0;
  for (int round = 0; round < 5; ++round) {
    const double start = now();
    for (const std::string& name : names) sum += work(name);
    times.push_back((now() - start) / static_cast<double>(names.size()));
  }
  if (sum == 1) fmt::print("\n");  // so that nothing is left out as unused
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct NameSet {
  const char* what;
  std::vector<std::string> names;
};

std::vector<NameSet> name_sets() {
  std::mt19937 random(3);
  std::vector<NameSet> sets(4);
  sets[0].what = "known kernels";
  for (const test::KnownName& one : test::known_names())
    if (one.kind == RuleKind::kKernel) sets[0].names.push_back(one.name);
  static const char* const kOperators[] = {"add",      "mul", "view", "sum",  "rsqrt",
                                           "_to_copy", "cat", "silu", "mean", "sigmoid"};
  sets[1].what = "generated (Triton autotune)";
  for (int i = 0; i < 100'000; ++i) {
    std::string name = random() % 2 ? "triton_poi_fused" : "triton_red_fused";
    for (unsigned k = 0; k < 2 + random() % 6; ++k)
      name += std::string("_") + kOperators[random() % std::size(kOperators)];
    sets[1].names.push_back(name + "_" + std::to_string(i));
  }
  sets[2].what = "ATen templates, 0.5 to 4 KB";
  for (int i = 0; i < 2'000; ++i) {
    std::string name =
        "void at::native::vectorized_elementwise_kernel<4, at::native::binary_internal::MulFunctor<float>, ";
    for (unsigned k = 0; k < 3 + random() % 30; ++k)
      name += "at::native::BinaryFunctor<float, float, float, at::native::functor_" + std::to_string(random() % 900) +
              "::operator()(at::TensorIteratorBase&)::{lambda()#1}, ";
    sets[2].names.push_back(name + "std::array<char*, 3ul> >(int)");
  }
  sets[3].what = "of no rule";
  for (int i = 0; i < 20'000; ++i)
    sets[3].names.push_back("void example::physics::advance_cells_" + std::to_string(i) +
                            "<double, 3>(example::Grid<double>&, "
                            "example::Buffer2D<double>&, int, int, int)");
  return sets;
}

}  // namespace

int main() {
  const RuleSet& rules = RuleSet::builtin();
  fmt::print("{} kernel rules and others\n\n{:<30}{:>8}{:>8}{:>12}{:>12}{:>12}{:>12}\n", builtin_rules().size(),
             "names", "count", "bytes", "hash", "rules", "unfiltered", "shape");
  for (const NameSet& set : name_sets()) {
    std::size_t bytes = 0;
    for (const std::string& name : set.names) bytes += name.size();
    const auto some = std::vector<std::string>(
        set.names.begin(),
        set.names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(set.names.size(), 300)));
    const double hash = ns_a_name(set.names, [](const std::string& name) { return std::hash<std::string>()(name); });
    const double match = ns_a_name(set.names, [&](const std::string& name) {
      return reinterpret_cast<std::uintptr_t>(rules.first_match(RuleKind::kKernel, name));
    });
    const double unfiltered = ns_a_name(some, [&](const std::string& name) {
      return reinterpret_cast<std::uintptr_t>(rules.first_match_unfiltered(RuleKind::kKernel, name));
    });
    const double shape = ns_a_name(
        set.names, [](const std::string& name) { return static_cast<std::uint64_t>(kernel_shape(name).has_value()); });
    fmt::print("{:<30}{:>8}{:>8}{:>10.0f}ns{:>10.0f}ns{:>10.0f}ns{:>10.0f}ns\n", set.what, set.names.size(),
               bytes / set.names.size(), hash, match, unfiltered, shape);
  }
  return 0;
}
