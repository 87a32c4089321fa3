// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/repeats.h"

#include <algorithm>
#include <map>

namespace moescope {
namespace {

constexpr std::size_t kLeastRepeats = 3;
constexpr std::size_t kMostCandidates = 24;  // distinct numbers of occurrences that are tried, the rarest first
constexpr std::size_t kMostPairs = 64;       // neighbouring repeats that are held against each other
constexpr std::size_t kMostAnchors = 16;     // symbols of one number of occurrences that are tried as a beginning
constexpr std::size_t kMostGaps = 4096;      // whose median stands for that of all
constexpr double kSamePeriod = 0.05;         // the same of one period, begun at one place or another
constexpr double kEqual = 0.01;              // differences of confidence below it decide nothing

// Of many gaps those of some, evenly apart.
std::size_t median_gap(const std::vector<std::size_t>& at) {
  std::vector<std::size_t> gaps;
  const std::size_t step = std::max<std::size_t>(1, at.size() / kMostGaps);
  for (std::size_t i = 1; i < at.size(); i += step) gaps.push_back(at[i] - at[i - 1]);
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
  return gaps[gaps.size() / 2];
}

class Search {
 public:
  Search(std::span<const std::int32_t> symbols, std::size_t below, std::span<const std::int64_t> pauses)
      : symbols_(symbols), pauses_(pauses), count_(below, 0), pause_(below, 0), seen_(below, 0), bag_(kBagSize, 0) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const auto symbol = static_cast<std::size_t>(symbols[i]);
      // The first repeat may begin with the record.
      if (++count_[symbol] > 1) pause_[symbol] += pauses[i];
    }
    for (const std::size_t count : count_) distinct_ += count > 0;
  }

  Repeats run() {
    std::map<std::size_t, std::vector<std::int32_t>> by_count;  // symbols by how often they occur
    for (std::size_t symbol = 0; symbol < count_.size(); ++symbol)
      if (count_[symbol] >= kLeastRepeats) by_count[count_[symbol]].push_back(static_cast<std::int32_t>(symbol));
    Repeats best;
    std::int64_t best_pause = -1;
    std::size_t tried = 0;
    for (const auto& [count, symbols] : by_count) {
      if (++tried > kMostCandidates) break;
      for (auto& at : occurrences(symbols)) {
        const std::size_t period = median_gap(at);
        const double confidence = confidence_of(at, period);
        if (confidence <= 0) continue;
        const std::int64_t pause = pause_[static_cast<std::size_t>(symbols_[at.front()])];
        const bool shorter = 11 * period<10 * best.period, longer = 10 * period> 11 * best.period;
        const double gain = confidence - best.confidence;
        // The same period begun elsewhere: at the longest pauses. Of two periods as good, the shorter, since twice a
        // period repeats as well.
        const bool take = shorter || longer ? gain > kEqual || (shorter && gain >= -kEqual)
                                            : gain > kSamePeriod || (gain >= -kSamePeriod && pause > best_pause);
        if (!take) continue;
        best_pause = pause;
        best.confidence = confidence;
        best.period = period;
        best.begins = std::move(at);
      }
    }
    if (!best.begins.empty()) {
      const std::size_t last = best.begins.back();
      best.last_whole = alike(best.begins[best.begins.size() - 2], last, symbols_.size()) >= 0.8;
    }
    return best;
  }

 private:
  static constexpr std::size_t kBagSize = std::size_t{1} << 14;

  // Of those of these symbols, which all occur equally often, that come after the longest pauses.
  std::vector<std::vector<std::size_t>> occurrences(std::vector<std::int32_t> of) const {
    std::stable_sort(of.begin(), of.end(), [&](std::int32_t a, std::int32_t b) {
      return pause_[static_cast<std::size_t>(a)] > pause_[static_cast<std::size_t>(b)];
    });
    std::vector<std::int32_t> slot(count_.size(), -1);
    const std::size_t slots = std::min(of.size(), kMostAnchors);
    for (std::size_t i = 0; i < slots; ++i) slot[static_cast<std::size_t>(of[i])] = static_cast<std::int32_t>(i);
    std::vector<std::vector<std::size_t>> places(slots);
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      if (const std::int32_t at = slot[static_cast<std::size_t>(symbols_[i])]; at >= 0)
        places[static_cast<std::size_t>(at)].push_back(i);
    return places;
  }

  std::size_t bag_slot(std::size_t i, std::size_t end) const {
    const std::uint64_t next = i + 1 < end ? static_cast<std::uint64_t>(symbols_[i + 1]) + 1 : 0;
    return ((static_cast<std::uint64_t>(symbols_[i]) * 0x9e3779b97f4a7c15u + next * 0xc2b2ae3d27d4eb4fu) >> 40) &
           (kBagSize - 1);
  }

  // Share of pairs of neighbours that [a, b) and [b, end) have in common.
  double alike(std::size_t a, std::size_t b, std::size_t end) {
    std::size_t common = 0;
    for (std::size_t i = a; i < b; ++i) ++bag_[bag_slot(i, b)];
    for (std::size_t i = b; i < end; ++i)
      if (std::int32_t& left = bag_[bag_slot(i, end)]; left > 0) {
        --left;
        ++common;
      }
    for (std::size_t i = a; i < b; ++i) bag_[bag_slot(i, b)] = 0;
    return 2.0 * static_cast<double>(common) / static_cast<double>(end - a);
  }

  double confidence_of(const std::vector<std::size_t>& at, std::size_t period) {
    if (period < 2 || static_cast<double>(symbols_.size()) < 2.9 * static_cast<double>(period)) return 0;
    const std::size_t repeats = at.size() - 1;  // with an end of their own
    const std::size_t step = std::max<std::size_t>(1, repeats / kMostPairs);
    // A repeat of median length stands for all: what symbols does it hold?
    std::size_t typical = 0;
    for (std::size_t k = 0; k < repeats; ++k)
      if (at[k + 1] - at[k] == period) typical = k;
    ++stamp_;
    std::size_t holds = 0;
    for (std::size_t i = at[typical]; i < at[typical + 1]; ++i)
      if (std::int32_t& seen = seen_[static_cast<std::size_t>(symbols_[i])]; seen != stamp_) seen = stamp_, ++holds;
    const double share = static_cast<double>(holds) / static_cast<double>(distinct_);
    if (share < 0.7) return share;
    double sum = 0;
    std::size_t pairs = 0;
    for (std::size_t k = 0; k + 1 < repeats; k += step, ++pairs) sum += alike(at[k], at[k + 1], at[k + 2]);
    return pairs == 0 ? 0 : share * sum / static_cast<double>(pairs);
  }

  std::span<const std::int32_t> symbols_;
  std::span<const std::int64_t> pauses_;
  std::vector<std::size_t> count_;
  std::vector<std::int64_t> pause_;  // before all occurrences of a symbol but the first, summed
  std::vector<std::int32_t> seen_, bag_;
  std::int32_t stamp_ = 0;
  std::size_t distinct_ = 0;
};

}  // namespace

Repeats find_repeats(std::span<const std::int32_t> symbols, std::size_t below, std::span<const std::int64_t> pauses) {
  if (symbols.size() < 2 * kLeastRepeats) return {};
  return Search(symbols, below, pauses).run();
}

}  // namespace moescope
