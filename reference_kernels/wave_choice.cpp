// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/wave_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace moescope::reference {
namespace {

constexpr int kBlockColumns = 128;
constexpr double kBlocksAWorker = 2;  // so that uneven experts still leave every worker something

// Rows of a block by the tokens an expert expects: little work wants small blocks.
int block_rows(double tokens) {
  struct Row {
    double up_to;
    int rows;
  };
  for (const Row& row : {Row{8.5, 16}, Row{16.5, 32}, Row{32.5, 64}, Row{64.5, 96}, Row{96.5, 128}}) {
    if (tokens <= row.up_to) return row.rows;
  }
  return 192;
}

}  // namespace

WaveChoice choose_waves(const MoeShape& shape, int workers) {
  const int local = shape.local_experts();
  const double tokens = 1.0 * shape.tokens * shape.ranks * shape.top_k / shape.experts;
  const auto of = [&](int experts, std::string why) {
    const int waves = (local + experts - 1) / experts;
    return WaveChoice{
        experts, waves,
        fmt::format("{} wave{} of {} of a rank's {} experts: {}", waves, waves == 1 ? "" : "s", experts, local, why)};
  };
  if (tokens < 1) return of(local, fmt::format("{:.2g} tokens an expert, most have none", tokens));
  const int rows = block_rows(tokens);
  const double blocks = std::ceil(tokens / rows) * std::ceil(2.0 * shape.intermediate / kBlockColumns);
  const std::string why = fmt::format("{:.4g} tokens an expert are {:.0f} blocks of {} x {}, for {} workers", tokens,
                                      blocks, rows, kBlockColumns, workers);
  const int least = std::min(local, static_cast<int>(std::ceil(kBlocksAWorker * workers / blocks)));
  if (blocks >= workers) return of(least, why);
  int best = least;
  double best_fill = 0;
  for (int size = least; size <= std::min(local, 2 * least); ++size) {
    const int last = local % size == 0 ? size : local % size;
    const double fill = 1.0 * last / size;
    if (fill > best_fill) best = size, best_fill = fill;
  }
  return of(best, best == least ? why : why + fmt::format("; {} rather than {} for a full last wave", best, least));
}

}  // namespace moescope::reference
