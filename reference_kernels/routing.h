#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which experts each token goes to, and with what weight: made up, but as a router would. A pure function of (seed,
// step, layer, global token), so that it does not depend on the number of ranks or on the machine.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference_kernels/moe_shape.h"

namespace moescope::reference {

// Tokens per expert that were counted somewhere: [layer][expert]. The job's layers take them in turn.
struct RoutingCounts {
  std::string path;
  std::vector<std::vector<std::uint64_t>> layers;
};

struct RoutingSpec {
  enum class Kind { kUniform, kZipf, kHotExpert, kHotRank, kBalanced, kCounts } kind = Kind::kUniform;
  // zipf: the i-th most popular expert is drawn with weight i^-strength. hot_expert, hot_rank: one expert, or all
  // experts of one rank, are drawn with strength times the others' weight.
  double strength = 0;
  int nodes = 1;                                // of the ranks, which lie node by node
  int node_limit = 0;                           // a token's experts lie on as many nodes at most; 0: any
  std::shared_ptr<const RoutingCounts> counts;  // kCounts: experts are drawn with these weights
};
inline constexpr std::string_view kRoutingSyntax =
    "uniform, zipf:S (S from 0 to 4), hot_expert:F or hot_rank:F (F from 1 to 10000), balanced, counts:FILE";
// All but counts:FILE, which is read elsewhere.
bool parse_routing(std::string_view text, RoutingSpec& spec);
std::string to_string(const RoutingSpec& spec);

// One layer of one step, all tokens of all ranks; rank r's tokens are [r * tokens, (r + 1) * tokens).
struct Routing {
  int top_k = 0;
  std::vector<std::int32_t> expert;  // [token][slot], distinct within a token
  std::vector<float> weight;         // [token][slot], a token's sum to 1
};

// Draws top_k distinct experts a token, one after the other, each from the weights of those not drawn yet.
class Router {
 public:
  Router(const MoeShape& shape, const RoutingSpec& spec, std::uint64_t seed);
  Routing route(int step, int layer) const;
  // Expert by popularity in a layer: the same in every step, as hot experts are in practice. hot_rank: its experts
  // first; it is the same rank in every layer.
  std::vector<std::int32_t> popularity(int layer) const;

 private:
  MoeShape shape_;
  RoutingSpec spec_;
  std::uint64_t seed_;
  void draw_token(std::size_t token, const class CounterRandom& draw, const std::vector<std::uint64_t>& cumulative,
                  const std::vector<std::int32_t>& order, std::int32_t* experts) const;
  int node_of(std::int32_t expert) const { return shape_.owner(expert) * spec_.nodes / shape_.ranks; }
  // Of the weights by popularity, one for all layers or one each; integers, so that sums are exact.
  std::vector<std::vector<std::uint64_t>> cumulative_;
};

// The tokens of one of `batches` equal micro-batches: of each rank's tokens the batch-th piece. shape: of the whole
// step.
Routing micro_batch_of(const MoeShape& shape, const Routing& routing, int batch, int batches);

// Tokens from each rank to each expert: counts[expert * ranks + source rank].
std::vector<std::int64_t> count_tokens(const MoeShape& shape, const Routing& routing);

}  // namespace moescope::reference
