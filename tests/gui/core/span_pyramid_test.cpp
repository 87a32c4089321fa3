// SPDX-License-Identifier: Apache-2.0
#include "gui/core/span_pyramid.h"

#include <cmath>
#include <random>

#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

struct Spans {
  std::vector<Interval> busy, exposed;
  Ns length = 0;
};
Spans random_spans(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Spans spans;
  Ns now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now += static_cast<Ns>(random() % 500);
    const Ns end = now + 1 + static_cast<Ns>(random() % 800);
    spans.busy.push_back({now, end});
    if (random() % 50 == 0) spans.exposed.push_back({now, now + (end - now + 1) / 2});
    now = end;
  }
  spans.length = now;
  return spans;
}
double total(const std::vector<Interval>& intervals) {
  double sum = 0;
  for (const Interval& interval : intervals) sum += static_cast<double>(interval.length());
  return sum;
}

}  // namespace

TEST_CASE("every level holds the whole busy and exposed time") {
  const Spans spans = random_spans(40'000, 1);
  const SpanPyramid pyramid(spans.busy, spans.exposed, spans.length);
  REQUIRE(pyramid.levels().size() >= 2);
  CHECK(pyramid.levels().front().bucket_ns ==
        Approx(4 * static_cast<double>(spans.length) / static_cast<double>(spans.busy.size())));
  for (const SpanPyramid::Level& level : pyramid.levels()) {
    double busy = 0, exposed = 0;
    for (const Bucket& bucket : level.buckets) {
      CHECK(bucket.busy <= 1.0001f);
      busy += static_cast<double>(bucket.busy) * level.bucket_ns;
      exposed += static_cast<double>(bucket.exposed) * level.bucket_ns;
    }
    CHECK(busy == Approx(total(spans.busy)).epsilon(1e-5));
    CHECK(exposed == Approx(total(spans.exposed)).epsilon(1e-5));
  }
}

TEST_CASE("a bucket's share is what the intervals in it measure") {
  const Spans spans = random_spans(6'000, 2);
  const SpanPyramid pyramid(spans.busy, spans.exposed, spans.length);
  const SpanPyramid::Level& level = pyramid.levels().front();
  for (const std::size_t i : {std::size_t{0}, level.buckets.size() / 3, level.buckets.size() / 2}) {
    const double left = static_cast<double>(i) * level.bucket_ns, right = left + level.bucket_ns;
    double busy = 0;
    for (const Interval& span : spans.busy)
      busy += std::max(
          0.0, std::min(right, static_cast<double>(span.end)) - std::max(left, static_cast<double>(span.begin)));
    CHECK(static_cast<double>(level.buckets[i].busy) == Approx(busy / level.bucket_ns).margin(1e-5));
  }
}

TEST_CASE("one exposed instant among a hundred thousand spans is there at every level") {
  Spans spans = random_spans(100'000, 3);
  spans.exposed = {{spans.busy[77'777].begin, spans.busy[77'777].begin + 1}};
  const SpanPyramid pyramid(spans.busy, spans.exposed, spans.length);
  for (const SpanPyramid::Level& level : pyramid.levels()) {
    int buckets = 0;
    for (const Bucket& bucket : level.buckets) buckets += bucket.exposed > 0;
    CHECK(buckets == 1);
  }
}

TEST_CASE("the level follows the zoom: none where a pixel is smaller than a bucket, coarser further out") {
  const Spans spans = random_spans(200'000, 4);
  const SpanPyramid pyramid(spans.busy, spans.exposed, spans.length);
  const double finest = pyramid.levels().front().bucket_ns;
  CHECK(pyramid.level_for(0.99 * finest) == nullptr);
  CHECK(pyramid.level_for(finest) == &pyramid.levels()[0]);
  CHECK(pyramid.level_for(15.9 * finest) == &pyramid.levels()[0]);
  CHECK(pyramid.level_for(16 * finest) == &pyramid.levels()[1]);
}

TEST_CASE("few spans need no pyramid") {
  const Spans spans = random_spans(100, 5);
  CHECK(SpanPyramid(spans.busy, spans.exposed, spans.length).level_for(1e12) == nullptr);
  CHECK(SpanPyramid().level_for(1e12) == nullptr);
}
