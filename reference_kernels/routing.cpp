// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/routing.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "reference_kernels/counter_random.h"

namespace moescope::reference {
namespace {

// i^-s from the four basic operations alone (this file is compiled without contraction to fused multiply-adds), so that
// every machine draws the same experts; the C library's pow may differ in its last bit.
double natural_log(double x) {  // x >= 1
  int halvings = 0;
  while (x > 1.5) x /= 2, ++halvings;
  const double z = (x - 1) / (x + 1);
  double power = z, sum = 0;
  for (int i = 1; i < 60; i += 2) sum += power / i, power *= z * z;
  return 2 * sum + halvings * 0.693147180559945309417;
}
double exponential_of_negative(double x) {  // e^-x, x >= 0
  int squarings = 0;
  while (x > 0.5) x /= 2, ++squarings;
  double term = 1, sum = 1;
  for (int i = 1; i < 24; ++i) term *= -x / i, sum += term;
  for (; squarings > 0; --squarings) sum *= sum;
  return sum;
}
constexpr double kWeightScale = 4294967296.0;  // of the most popular expert; no expert falls below 1

std::uint64_t stream(int kind, int step, int layer) {
  return (static_cast<std::uint64_t>(kind) << 56) ^ (static_cast<std::uint64_t>(step) << 20) ^
         static_cast<std::uint64_t>(layer);
}
constexpr int kPopularityStream = 1, kExpertStream = 2, kWeightStream = 3, kHotRankStream = 4;
// Draws a slot may take before the rest is looked through one by one (steep weights with top_k near the expert count).
constexpr std::uint64_t kTries = 16;

}  // namespace

namespace {

struct KindName {
  RoutingSpec::Kind kind;
  std::string_view name;
  double least, most;  // of the strength; equal: there is none
};
constexpr KindName kKinds[] = {
    {RoutingSpec::Kind::kUniform, "uniform", 0, 0},        {RoutingSpec::Kind::kZipf, "zipf", 0, 4},
    {RoutingSpec::Kind::kHotExpert, "hot_expert", 1, 1e4}, {RoutingSpec::Kind::kHotRank, "hot_rank", 1, 1e4},
    {RoutingSpec::Kind::kBalanced, "balanced", 0, 0},
};

}  // namespace

bool parse_routing(std::string_view text, RoutingSpec& spec) {
  const std::string_view word = text.substr(0, text.find(':'));
  for (const KindName& one : kKinds) {
    if (one.name != word) continue;
    double strength = 0;
    if (one.least == one.most) {
      if (text != word) return false;
    } else {
      if (text.size() < word.size() + 2) return false;
      const char *const first = text.data() + word.size() + 1, *const last = text.data() + text.size();
      const auto [end, error] = std::from_chars(first, last, strength);
      if (error != std::errc() || end != last || !(strength >= one.least && strength <= one.most)) return false;
    }
    spec.kind = one.kind;
    spec.strength = strength;
    return true;
  }
  return false;
}

std::string to_string(const RoutingSpec& spec) {
  std::string said = spec.kind == RoutingSpec::Kind::kCounts ? "counts:" + spec.counts->path : "";
  for (const KindName& one : kKinds) {
    if (one.kind != spec.kind) continue;
    said = one.name;
    if (one.least == one.most) continue;
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, spec.strength);
    said += ":" + std::string(text, end);
  }
  if (spec.node_limit > 0)
    said += " on " + std::to_string(spec.node_limit) + " of " + std::to_string(spec.nodes) + " nodes";
  return said;
}

Router::Router(const MoeShape& shape, const RoutingSpec& spec, std::uint64_t seed)
    : shape_(shape), spec_(spec), seed_(seed) {
  if (spec.kind == RoutingSpec::Kind::kCounts) {
    for (const std::vector<std::uint64_t>& counts : spec.counts->layers) {
      std::vector<std::uint64_t>& cumulative = cumulative_.emplace_back(counts.size());
      std::partial_sum(counts.begin(), counts.end(), cumulative.begin());
    }
    return;
  }
  std::uint64_t sum = 0;
  std::vector<std::uint64_t>& cumulative = cumulative_.emplace_back(static_cast<std::size_t>(shape.experts));
  for (int i = 0; i < shape.experts; ++i) {
    double weight = kWeightScale;
    if (spec.kind == RoutingSpec::Kind::kZipf) {
      weight *= exponential_of_negative(spec.strength * natural_log(i + 1));
    } else if (spec.kind == RoutingSpec::Kind::kHotExpert || spec.kind == RoutingSpec::Kind::kHotRank) {
      const int hot = spec.kind == RoutingSpec::Kind::kHotExpert ? 1 : shape.local_experts();
      if (i >= hot) weight /= spec.strength;
    }
    sum += std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight + 0.5));
    cumulative[static_cast<std::size_t>(i)] = sum;
  }
}

std::vector<std::int32_t> Router::popularity(int layer) const {
  std::vector<std::int32_t> order(static_cast<std::size_t>(shape_.experts));
  std::iota(order.begin(), order.end(), 0);
  if (spec_.kind == RoutingSpec::Kind::kCounts) return order;  // the counts say whose they are
  const CounterRandom random(seed_, stream(kPopularityStream, 0, layer));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
  if (spec_.kind == RoutingSpec::Kind::kHotRank) {
    const auto hot = static_cast<int>(
        CounterRandom(seed_, stream(kHotRankStream, 0, 0)).below(0, static_cast<std::uint64_t>(shape_.ranks)));
    std::stable_partition(order.begin(), order.end(), [&](std::int32_t expert) { return shape_.owner(expert) == hot; });
  }
  return order;
}

// One expert after the other, each by weight from those that are left: not drawn yet, and on one of the token's nodes
// once it has as many as it may.
void Router::draw_token(std::size_t token, const CounterRandom& draw, const std::vector<std::uint64_t>& cumulative,
                        const std::vector<std::int32_t>& order, std::int32_t* experts) const {
  const auto top_k = static_cast<std::size_t>(shape_.top_k);
  std::vector<std::size_t> picked;  // positions in the order of popularity
  std::vector<int> nodes;           // of those, each once
  const auto barred = [&](std::size_t place) {
    if (std::find(picked.begin(), picked.end(), place) != picked.end()) return true;
    return spec_.node_limit > 0 && nodes.size() == static_cast<std::size_t>(spec_.node_limit) &&
           std::find(nodes.begin(), nodes.end(), node_of(order[place])) == nodes.end();
  };
  const auto weight = [&](std::size_t i) { return cumulative[i] - (i == 0 ? 0 : cumulative[i - 1]); };
  for (std::size_t slot = 0; slot < top_k; ++slot) {
    const std::uint64_t first_draw = (token * top_k + slot) * (kTries + 1);
    std::size_t place = 0;
    std::uint64_t tries = 0;
    do {
      const std::uint64_t at = draw.below(first_draw + tries, cumulative.back());
      place = static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), at) - cumulative.begin());
    } while (barred(place) && ++tries < kTries);
    if (tries == kTries) {
      std::uint64_t left = 0;
      for (std::size_t i = 0; i < cumulative.size(); ++i) left += barred(i) ? 0 : weight(i);
      std::uint64_t at = draw.below(first_draw + kTries, left);
      for (place = 0; barred(place) || at >= weight(place); ++place) at -= barred(place) ? 0 : weight(place);
    }
    picked.push_back(place);
    experts[slot] = order[place];
    if (std::find(nodes.begin(), nodes.end(), node_of(order[place])) == nodes.end())
      nodes.push_back(node_of(order[place]));
  }
}

Routing Router::route(int step, int layer) const {
  const auto tokens = static_cast<std::size_t>(shape_.tokens) * static_cast<std::size_t>(shape_.ranks);
  const auto top_k = static_cast<std::size_t>(shape_.top_k);
  const CounterRandom draw(seed_, stream(kExpertStream, step, layer));
  const CounterRandom score(seed_, stream(kWeightStream, step, layer));
  const std::vector<std::int32_t> order = popularity(layer);
  Routing routing{shape_.top_k, std::vector<std::int32_t>(tokens * top_k), std::vector<float>(tokens * top_k)};

  for (std::size_t token = 0; token < tokens; ++token) {
    if (spec_.kind == RoutingSpec::Kind::kBalanced) {
      // In turn: as a router whose biases have levelled it out does, on average and to the last token.
      for (std::size_t slot = 0; slot < top_k; ++slot)
        routing.expert[token * top_k + slot] = order[(token * top_k + slot) % order.size()];
    } else {
      draw_token(token, draw, cumulative_[static_cast<std::size_t>(layer) % cumulative_.size()], order,
                 &routing.expert[token * top_k]);
    }
    // Weights as a softmax over similar scores would give: positive, within a factor of three, summing to one.
    std::uint64_t sum = 0;
    for (std::size_t slot = 0; slot < top_k; ++slot) {
      const std::uint64_t points = (1u << 20) + score.below(token * top_k + slot, 2u << 20);
      sum += points;
      routing.weight[token * top_k + slot] = static_cast<float>(points);
    }
    for (std::size_t slot = 0; slot < top_k; ++slot) {
      routing.weight[token * top_k + slot] /= static_cast<float>(sum);
    }
  }
  return routing;
}

Routing micro_batch_of(const MoeShape& shape, const Routing& routing, int batch, int batches) {
  Routing part{routing.top_k, {}, {}};
  const std::ptrdiff_t a_rank = std::ptrdiff_t{shape.tokens} * routing.top_k, a_batch = a_rank / batches;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    const std::ptrdiff_t first = rank * a_rank + batch * a_batch;
    part.expert.insert(part.expert.end(), routing.expert.begin() + first, routing.expert.begin() + first + a_batch);
    part.weight.insert(part.weight.end(), routing.weight.begin() + first, routing.weight.begin() + first + a_batch);
  }
  return part;
}

std::vector<std::int64_t> count_tokens(const MoeShape& shape, const Routing& routing) {
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(shape.experts) * ranks);
  const std::size_t per_rank = static_cast<std::size_t>(shape.tokens) * static_cast<std::size_t>(shape.top_k);
  for (std::size_t i = 0; i < routing.expert.size(); ++i) {
    ++counts[static_cast<std::size_t>(routing.expert[i]) * ranks + i / per_rank];
  }
  return counts;
}

}  // namespace moescope::reference
