// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "record.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>
#include <thread>

#include <sartor/explorer.hpp>

#include "tuner/change_detection/request_costs.h"
#include "tuner/measure/running_program.h"

namespace sartor::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

RecordedVariants record_variants(const Recorded &program, double seconds) {
  for (const Configuration &configuration : program.configurations)
    program.runtime.specialize(configuration);
  std::this_thread::sleep_for(1s);
  const ExplorerOptions defaults;
  RunningProgram running(
      program.runtime, program.objective,
      {defaults.sample_time, defaults.longest_sample_time, defaults.events_per_sample});
  std::vector<std::vector<RecordedVariants::Slice>> sample_count(program.configurations.size());
  std::vector<std::size_t> order(sample_count.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1); // NOLINT(*-random-generator-seed): runs can be repeated
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      running.activate(program.configurations[i]);
      const ObjectiveSample measured = running.read_sample({}, 0, {}).value();
      sample_count[i].push_back({measured.value, measured.seconds});
    }
  }
  return RecordedVariants(std::move(sample_count));
}

Watched record_watched(const Recorded &program, const Configuration &active,
                       const Configuration &rival, double seconds) {
  Runtime &runtime = program.runtime;
  for (const Configuration *configuration : {&rival, &active})
    runtime.specialize(*configuration);
  RequestCosts costs(program.objective, {}, active, rival,
                     [&](const Configuration &which) { runtime.specialize(which); });
  std::this_thread::sleep_for(1s);
  // Other entries of the profile may be needed by fast paths, so the profile is cleared only if it
  // has kinds.
  const bool has_kinds = runtime.profile().find("kind") != nullptr;
  if (has_kinds)
    runtime.clear_profile();
  Watched watched;
  const auto start = Clock::now();
  double window_ends = Watched::kWindowSeconds;
  while (seconds_since(start) < seconds) {
    const double sample = costs.sample({}).value();
    const Costs::Pair pair = costs.pair({}).value();
    watched.steps.push_back({1e9 * sample, 1e9 * pair.ours, 1e9 * pair.rivals});
    watched.sample_seconds += pair.seconds;
    watched.work_seconds += pair.work;
    if (!has_kinds || seconds_since(start) < window_ends)
      continue;
    window_ends += Watched::kWindowSeconds;
    Watched::Kinds &kinds = watched.kinds.emplace_back();
    const Profile profile = runtime.profile();
    runtime.clear_profile();
    if (const PointProfile *seen = profile.find("kind"))
      for (const ProfileEntry &entry : seen->entries)
        kinds.at(entry.inputs.at(0).bits()) = std::min<std::uint64_t>(entry.count, 65535);
  }
  const auto steps = static_cast<double>(watched.steps.size());
  watched.step_seconds = seconds_since(start) / steps;
  watched.sample_seconds /= steps;
  watched.work_seconds /= steps;
  return watched;
}

void record(const Recorded &program, const std::filesystem::path &name, Lengths lengths) {
  const auto file = [&](const char *extension) { return name.string() + extension; };
  const RecordedVariants variants = record_variants(program, lengths.variants);
  variants.write(file(".variants"));
  std::vector<std::size_t> best(variants.variants());
  std::iota(best.begin(), best.end(), 0);
  std::ranges::sort(best, std::ranges::greater{}, [&](auto i) { return variants.rate_of(i); });
  for (const std::size_t i : best)
    std::printf("%-40s %.3f\n", program.configurations[i].text().c_str(),
                variants.rate_of(i) / variants.rate_of(best[0]));
  record_watched(program, program.configurations[best[0]], program.configurations[best[1]],
                 lengths.watched)
      .write(file(".watched"));
}

} // namespace sartor::bench
