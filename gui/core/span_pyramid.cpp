// SPDX-License-Identifier: Apache-2.0
#include "gui/core/span_pyramid.h"

#include <algorithm>

namespace moescope::gui {
namespace {

constexpr std::size_t kFewestSpans = 4096;      // below, looking at the spans is as quick
constexpr std::size_t kCoarsestBuckets = 1024;  // about a picture's width
constexpr double kPeriodsPerBucket = 4;
constexpr double kStep = 4;
constexpr double kBucketsPerPixel = 4;

// Adds each interval's time to the buckets it touches.
void deposit(std::span<const Interval> intervals, SpanPyramid::Level& level, float Bucket::*share) {
  const double width = level.bucket_ns;
  const std::size_t last = level.buckets.size() - 1;
  for (const Interval& interval : intervals) {
    const auto begin = static_cast<double>(interval.begin), end = static_cast<double>(interval.end);
    auto bucket = std::min(static_cast<std::size_t>(begin / width), last);
    const auto final_bucket = std::min(static_cast<std::size_t>(end / width), last);
    for (; bucket <= final_bucket; ++bucket) {
      const double left = static_cast<double>(bucket) * width;
      const double overlap = std::min(end, left + width) - std::max(begin, left);
      if (overlap > 0) level.buckets[bucket].*share += static_cast<float>(overlap / width);
    }
  }
  for (Bucket& bucket : level.buckets) bucket.*share = std::min(bucket.*share, 1.0f);
}

}  // namespace

SpanPyramid::SpanPyramid(std::span<const Interval> busy, std::span<const Interval> exposed, Ns length) {
  if (busy.size() < kFewestSpans || length <= 0) return;
  Level finest;
  finest.bucket_ns = kPeriodsPerBucket * static_cast<double>(length) / static_cast<double>(busy.size());
  finest.buckets.resize(static_cast<std::size_t>(static_cast<double>(length) / finest.bucket_ns) + 1);
  deposit(busy, finest, &Bucket::busy);
  deposit(exposed, finest, &Bucket::exposed);
  levels_.push_back(std::move(finest));
  while (levels_.back().buckets.size() > kCoarsestBuckets) {
    const Level& fine = levels_.back();
    Level coarse;
    coarse.bucket_ns = fine.bucket_ns * kStep;
    constexpr auto kChildren = static_cast<std::size_t>(kStep);
    coarse.buckets.resize((fine.buckets.size() + kChildren - 1) / kChildren);
    for (std::size_t i = 0; i < fine.buckets.size(); ++i) {
      coarse.buckets[i / kChildren].busy += fine.buckets[i].busy / static_cast<float>(kStep);
      coarse.buckets[i / kChildren].exposed += fine.buckets[i].exposed / static_cast<float>(kStep);
    }
    levels_.push_back(std::move(coarse));
  }
}

const SpanPyramid::Level* SpanPyramid::level_for(double ns_per_pixel) const {
  if (levels_.empty() || ns_per_pixel < levels_.front().bucket_ns) return nullptr;
  const Level* best = &levels_.front();
  for (const Level& level : levels_)
    if (level.bucket_ns * kBucketsPerPixel <= ns_per_pixel) best = &level;
  return best;
}

}  // namespace moescope::gui
