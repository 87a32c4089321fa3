// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "reference_kernels/job/options.h"
#include "reference_kernels/job/rate.h"
#include "reference_kernels/job/raw_options.h"
#include "reference_kernels/wave_choice.h"

namespace moescope::reference {
namespace {

constexpr int kMostParts = 1 << 16;

std::string names_of_schedules() {
  std::string names;
  for (const ScheduleName& schedule : kSchedules) names += (names.empty() ? "" : ", ") + std::string(schedule.name);
  return names;
}

// An option that only some schedules know.
struct Belongs {
  const char* option;
  const std::optional<int>& value;
  std::string_view to, also;
};

std::vector<int> wave_sizes(const RawOptions& raw, const JobSpec& spec, int local) {
  const auto list = parse_list(*raw.wave_sizes, 0);
  std::vector<int> sizes;
  long sum = 0;
  for (double size : list.value_or(std::vector<double>{})) {
    if (!(size >= 1 && size <= 65536 && size == std::floor(size))) break;
    sizes.push_back(static_cast<int>(size));
    sum += sizes.back();
  }
  const bool fits = spec.stage_times || sum == local;
  const bool agrees = !raw.waves || *raw.waves == fmt::to_string(sizes.size());
  if (!list || sizes.size() != list->size() || !fits || !agrees) {
    throw UsageError("--wave-sizes", *raw.wave_sizes,
                     spec.stage_times
                         ? "write whole sizes from 1 on, by commas"
                         : fmt::format("write whole sizes that add up to the {} experts of a rank", local));
  }
  return sizes;
}

int wave_count(const RawOptions& raw, JobSpec& spec, int local) {
  if (!raw.waves) return std::min(4, local);
  if (*raw.waves == "auto") {
    if (spec.stage_times) throw UsageError("--waves", "auto", "given stage times have no experts: name a number");
    const WaveChoice choice = choose_waves(spec.shape, spec.cost.compute_workers);
    spec.schedule_reason = choice.reason;
    return choice.waves;
  }
  const auto number = parse_list(*raw.waves, 1);
  if (!number || number->front() != std::floor(number->front()))
    throw UsageError("--waves", *raw.waves, "write a whole number, or auto");
  return in_range("--waves", static_cast<int>(std::min(number->front(), 1e9)), 1, local);
}

}  // namespace

int in_range(std::string_view option, int value, int low, int high) {
  if (value < low || value > high)
    throw UsageError(option, fmt::to_string(value), fmt::format("use {} to {}", low, high));
  return value;
}

void resolve_schedule(const RawOptions& raw, JobSpec& spec) {
  if (raw.engines == "in,compute,act,out") {
    spec.engines = kInComputeActOut;
  } else if (raw.engines != "link,compute") {
    throw UsageError("--engines", raw.engines, "use link,compute or in,compute,act,out");
  }
  if (!is_schedule(raw.schedule))
    throw UsageError("--schedule", raw.schedule, fmt::format("use one of {}", names_of_schedules()));
  const bool wave = raw.schedule == "wave", interleaved = raw.schedule == "interleaved";
  for (const auto& [option, value] : {std::pair{"--waves", raw.waves}, std::pair{"--wave-sizes", raw.wave_sizes}}) {
    if (value && !wave && *value != "1")
      throw UsageError(option, *value, fmt::format("the {} schedule has none: use --schedule wave", raw.schedule));
  }
  for (const Belongs& one :
       {Belongs{"--blocks", raw.blocks, "wave", "interleaved"}, Belongs{"--ring", raw.ring, "wave", "interleaved"},
        Belongs{"--chunks", raw.chunks, "comet", "comet"},
        Belongs{"--slices", raw.slices, "interleaved", "interleaved"},
        Belongs{"--warm-up", raw.warm_up, "interleaved", "interleaved"}}) {
    if (one.value && raw.schedule != one.to && raw.schedule != one.also)
      throw UsageError(one.option, fmt::to_string(*one.value),
                       fmt::format("the {} schedule has none: use --schedule {}", raw.schedule, one.to));
  }
  spec.cost.compute_workers = in_range("--workers", raw.workers.value_or(1), 1, 1024);

  // Given stage times split evenly into any number of parts; experts do not.
  const int local = spec.stage_times ? 4096 : spec.shape.local_experts();
  ScheduleCut cut;
  cut.cuts.experts = spec.stage_times ? 1 : local;
  cut.cuts.blocks = raw.blocks ? in_range("--blocks", *raw.blocks, 1, kMostParts / cut.cuts.experts) : 0;
  cut.chunks = in_range("--chunks", raw.chunks.value_or(4), 1, 4096);
  cut.slices = in_range("--slices", raw.slices.value_or(2), 1, 256);
  cut.ring = raw.ring ? in_range("--ring", *raw.ring, 1, kMostParts) : 0;
  std::vector<int> sizes;
  if (wave && raw.wave_sizes) {
    sizes = wave_sizes(raw, spec, local);
    cut.cuts.experts = 0;
    for (const int size : sizes) cut.cuts.experts += size;
  } else if (wave) {
    cut.cuts.waves = wave_count(raw, spec, local);
    if (spec.stage_times) cut.cuts.experts = cut.cuts.waves;
  }
  const int blocks = cut.cuts.experts * std::max(1, cut.cuts.blocks);
  cut.warm_up = interleaved && raw.warm_up ? in_range("--warm-up", *raw.warm_up, 1, blocks) : std::min(2, blocks);
  spec.schedule_name = raw.schedule;
  spec.tiling = Tiling(raw.schedule, cut, sizes);
}

}  // namespace moescope::reference
