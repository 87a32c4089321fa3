// SPDX-License-Identifier: Apache-2.0
// The two exchanges, the same in both passes: rows go to the experts' ranks, results come home and are summed.
#include <algorithm>

#include "reference_kernels/cpu/stage_work.h"

namespace moescope::reference {

void StageWork::pull_rows(const Place& at, const Tile& tile, WireMeter* meter) {
  WireRows& received = at.backward() ? at.here.gradient_received : at.here.received;
  const auto hidden = static_cast<std::size_t>(shape_.hidden);
  const auto row_bytes = static_cast<std::int64_t>(bytes_per_element(received.dtype())) * shape_.hidden;
  const ExpertRows& rows = at.exchange.rows();
  // Peers in turn, beginning with the next one, so that not all ranks pull from the same rank at once; where own rows
  // go first, beginning with the rank itself.
  for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
    const int expert = shape_.first_expert(at.rank) + local;
    for (int i = 0; i < shape_.ranks; ++i) {
      const int source = (at.rank + i + (tile.own_first ? 0 : 1)) % shape_.ranks;
      const float* tokens = exchanged(at, source);
      const std::span<const std::int32_t> entries = at.exchange.sent(source, expert);
      const std::int64_t first = rows.begin(expert, source);
      const std::size_t first_slot = static_cast<std::size_t>(source) * static_cast<std::size_t>(batch_tokens_) *
                                     static_cast<std::size_t>(shape_.top_k);
      for (const RowRange& range : rows.tile_rows(tile, expert)) {
        const std::int64_t end = std::min(range.end(), rows.begin(expert, source + 1));
        for (std::int64_t row = std::max(range.first, first); row < end; ++row) {
          const std::int32_t entry = entries[static_cast<std::size_t>(row - first)];
          const std::int64_t to = at.exchange.first_row(expert) + row;
          received.store(to, tokens + static_cast<std::size_t>(entry / shape_.top_k) * hidden);
          if (!at.backward()) {
            at.here.row_weight[static_cast<std::size_t>(to)] =
                at.routing.weight[first_slot + static_cast<std::size_t>(entry)];
          }
          if (source != at.rank && meter != nullptr) meter->sent(row_bytes);
        }
      }
    }
  }
}

void StageWork::pull_results(const Place& at, int part, const Tile& tile, WireMeter* meter) {
  const ExpertRows& rows = at.exchange.rows();
  WireRows& slots = at.here.slots;
  const Columns columns =
      tile.result_columns ? columns_of(tile.slice, tile.slices, shape_.hidden) : Columns{0, shape_.hidden};
  const auto row_bytes = static_cast<std::int64_t>(bytes_per_element(slots.dtype())) * columns.count();
  for (int i = 1; i <= shape_.ranks; ++i) {
    const int owner = (at.rank + i) % shape_.ranks;
    const WireRows& result = buffers(at, owner).result;
    for (int local = tile.expert_begin; local < tile.expert_end; ++local) {
      const int expert = shape_.first_expert(owner) + local;
      const std::span<const std::int32_t> entries = at.exchange.sent(at.rank, expert);
      const std::int64_t first = rows.begin(expert, at.rank);
      for (const RowRange& range : rows.tile_rows(tile, expert)) {
        const std::int64_t end = std::min(range.end(), rows.begin(expert, at.rank + 1));
        for (std::int64_t row = std::max(range.first, first); row < end; ++row) {
          slots.copy(entries[static_cast<std::size_t>(row - first)], result, at.exchange.first_row(expert) + row,
                     columns.begin, columns.end);
          if (owner != at.rank && meter != nullptr) meter->sent(row_bytes);
        }
      }
    }
  }
  // A token is whole once its last slot is there: its results are added in slot order, never in order of arrival; the
  // shared experts' comes last.
  const float* in = exchanged(at, at.rank);
  float* out = !at.backward()        ? state(at, at.rank, at.layer() + 1, false)
               : plan_.shape().dense ? at.here.gradient_dense_in.data()
                                     : state(at, at.rank, at.layer(), true);
  const std::vector<float>& shared = at.backward() ? at.here.gradient_shared_result : at.here.shared_result;
  const auto hidden = static_cast<std::size_t>(shape_.hidden), begin = static_cast<std::size_t>(columns.begin),
             end = static_cast<std::size_t>(columns.end);
  std::vector<float> widened(slots.dtype() == Dtype::kFp32 ? 0 : hidden), sum(hidden);
  for (std::int32_t token : at.exchange.completed(at.rank, part)) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int slot = 0; slot < shape_.top_k; ++slot) {
      const float* result = slots.read(std::int64_t{token} * shape_.top_k + slot, 1, widened.data());
      for (std::size_t i = begin; i < end; ++i) sum[i] += result[i];
    }
    const std::size_t first = static_cast<std::size_t>(token) * hidden;
    for (std::size_t i = begin; i < end && !shared.empty(); ++i) sum[i] += shared[first + i];
    for (std::size_t i = begin; i < end; ++i) out[first + i] = in[first + i] + sum[i];
  }
}

}  // namespace moescope::reference
