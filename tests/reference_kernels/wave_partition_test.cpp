// SPDX-License-Identifier: Apache-2.0
#include "reference_kernels/wave_partition.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace moescope::reference;

TEST_CASE("even waves cover the experts once, with sizes that differ by at most one") {
  for (int experts = 1; experts <= 40; ++experts) {
    for (int waves = 1; waves <= experts; ++waves) {
      const WavePartition p = WavePartition::even(experts, waves);
      REQUIRE(p.waves() == waves);
      int next = 0, smallest = experts, largest = 0;
      for (int wave = 0; wave < waves; ++wave) {
        REQUIRE(p.begin(wave) == next);
        next = p.end(wave);
        smallest = std::min(smallest, p.size(wave));
        largest = std::max(largest, p.size(wave));
        for (int e = p.begin(wave); e < p.end(wave); ++e) REQUIRE(p.wave_of(e) == wave);
      }
      REQUIRE(next == experts);
      REQUIRE(smallest >= 1);
      REQUIRE(largest - smallest <= 1);
    }
  }
}
