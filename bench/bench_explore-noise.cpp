// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether a race decides rightly under noise as it was recorded (noise/README_slices.md), and
/// how many slices that takes: 1,000 replayed explorations of 7 variants, the best of them ahead by
/// 5 %. Slice i of a variant is the recorded slice at that time, times what the variant is worth;
/// the program's meter, strategy and budget are the real ones.
///
/// A choice is wrong if the chosen variant is worse than the best by more than the tolerance, 1 %.
/// What it is compared with is the best scheme with a fixed number of slices: the same interleaved
/// rounds in random order and the same means, with as many rounds as it takes, had one known, for
/// as few wrong choices. The seed's scheme, one long window for each variant, is shown beside it.

#include <algorithm>
#include <cstdio>
#include <random>

#include <sartor/race.hpp>

#include "explore/evidence/interval.h"
#include "explore/measure/window_meter.h"
#include "figures.h"
#include "noise/slices.h"

namespace sartor::bench {

const char *const bench_name = "explore-noise";

namespace {

constexpr std::size_t kRuns = 1000;
constexpr double kTolerance = RaceOptions().tolerance;
constexpr std::size_t kMostRounds = 4096; // that a fixed scheme may need

/// What each variant is worth, the best 1; the others lag behind by more and more.
std::vector<double> worths(double lead) {
  return {1, 1 - lead, 1 - 1.6 * lead, 1 - 0.12, 1 - 0.2, 1 - 0.35, 1 - 0.5};
}

/// Time, as it was recorded.
class Replay {
public:
  Replay(const std::vector<Slice> &slices, std::size_t begin) : slices_(slices), now_(begin) {}
  double next() {
    now_ = (now_ + 1) % slices_.size();
    ++taken_;
    // A slice in which nothing at all was done is prolonged until something is.
    return std::max(slices_[now_].throughput, 0.001);
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

private:
  const std::vector<Slice> &slices_;
  std::size_t now_;
  std::size_t taken_ = 0;
};

struct Case {
  Replay replay;
  std::vector<double> worth; ///< In an order of its own in each run.
  std::mt19937_64 random;
};

Case make_case(const std::vector<Slice> &slices, double lead, std::size_t run) {
  std::mt19937_64 random(run + 1);
  std::vector<double> worth = worths(lead);
  std::ranges::shuffle(worth, random);
  return {Replay(slices, random() % slices.size()), std::move(worth), random};
}

bool is_wrong(double chosen) { return chosen < 1 - kTolerance; }

struct Outcome {
  double wrong = 0;  ///< Share of runs.
  double slices = 0; ///< Mean.
};

Outcome race_runs(const std::vector<Slice> &slices, double lead) {
  Outcome outcome;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Case some = make_case(slices, lead, run);
    std::vector<Configuration> candidates;
    for (std::size_t i = 0; i < some.worth.size(); ++i)
      candidates.push_back({{"variant", i}});
    const auto strategy = race(candidates, {.seed = run + 1});
    while (const auto asked = strategy->ask()) {
      const auto variant = asked->find("variant")->values.front().integer();
      strategy->tell({*asked, some.replay.next() * some.worth[static_cast<std::size_t>(variant)]});
    }
    const auto chosen = strategy->best().configuration.find("variant")->values.front().integer();
    outcome.wrong += is_wrong(some.worth[static_cast<std::size_t>(chosen)]) ? 1.0 / kRuns : 0;
    outcome.slices += static_cast<double>(some.replay.taken()) / kRuns;
  }
  return outcome;
}

/// Interleaved rounds in random order; the best mean against the middle of the field wins.
Outcome paired_runs(const std::vector<Slice> &slices, double lead, std::size_t rounds) {
  Outcome outcome;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Case some = make_case(slices, lead, run);
    const std::size_t variants = some.worth.size();
    std::vector<std::vector<double>> ahead(variants);
    std::vector<std::size_t> order(variants);
    for (std::size_t i = 0; i < variants; ++i)
      order[i] = i;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, some.random);
      std::vector<double> scores(variants);
      for (const std::size_t variant : order)
        scores[variant] = some.replay.next() * some.worth[variant];
      const double middle = sartor::median(scores);
      for (std::size_t variant = 0; variant < variants; ++variant)
        ahead[variant].push_back(advantage(scores[variant], middle));
    }
    std::vector<double> means;
    for (const auto &each : ahead)
      means.push_back(robust_mean(each, 0).mean);
    const auto chosen = std::ranges::max_element(means) - means.begin();
    outcome.wrong += is_wrong(some.worth[static_cast<std::size_t>(chosen)]) ? 1.0 / kRuns : 0;
    outcome.slices += static_cast<double>(some.replay.taken()) / kRuns;
  }
  return outcome;
}

/// One window of so many slices for each variant, one after another.
Outcome blocked_runs(const std::vector<Slice> &slices, double lead, std::size_t length) {
  Outcome outcome;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Case some = make_case(slices, lead, run);
    std::vector<double> sums;
    for (const double worth : some.worth) {
      sums.push_back(0);
      for (std::size_t i = 0; i < length; ++i)
        sums.back() += some.replay.next() * worth;
    }
    const auto chosen = std::ranges::max_element(sums) - sums.begin();
    outcome.wrong += is_wrong(some.worth[static_cast<std::size_t>(chosen)]) ? 1.0 / kRuns : 0;
  }
  outcome.slices = static_cast<double>(length * worths(lead).size());
  return outcome;
}

/// The fewest rounds with which the fixed scheme is wrong no more often than `wrong`.
Outcome fixed_at(const std::vector<Slice> &slices, double lead, double wrong) {
  std::size_t enough = 1;
  while (enough < kMostRounds && paired_runs(slices, lead, enough).wrong > wrong)
    enough *= 2;
  std::size_t too_few = enough / 2;
  while (enough - too_few > 1 + enough / 32) {
    const std::size_t middle = (enough + too_few) / 2;
    (paired_runs(slices, lead, middle).wrong > wrong ? too_few : enough) = middle;
  }
  return paired_runs(slices, lead, enough);
}

Interval exactly(double value) { return {value, value, value}; }

/// A share of kRuns, with Wilson's interval.
Interval percentage(double share) {
  const auto [value, low, high] = wilson(share, kRuns);
  return {100 * value, 100 * low, 100 * high};
}

} // namespace

std::vector<Figure> measure() {
  const std::filesystem::path folder = SARTOR_BENCH_NOISE;
  std::vector<Figure> figures;
  const auto add = [&](const std::string &suffix, const std::vector<Slice> &slices, double lead,
                       bool is_the_goal) {
    const Outcome raced = race_runs(slices, lead);
    const Outcome fixed = fixed_at(slices, lead, std::max(raced.wrong, 1.0 / kRuns));
    figures.push_back({"wrong_choices" + suffix, "%", percentage(raced.wrong),
                       is_the_goal ? at_most(1) : Goal{}});
    figures.push_back({"windows_over_fixed" + suffix, "ratio", exactly(raced.slices / fixed.slices),
                       is_the_goal ? at_most(0.4) : Goal{}});
    figures.push_back({"slices" + suffix, "", exactly(raced.slices)});
    figures.push_back({"fixed_slices" + suffix, "", exactly(fixed.slices)});
    const auto as_long = static_cast<std::size_t>(fixed.slices / 7);
    figures.push_back({"one_window_each_wrong" + suffix, "%",
                       percentage(blocked_runs(slices, lead, as_long).wrong)});
  };
  std::vector<Slice> all = read_slices(folder / "slices_quiet.bin");
  const std::vector<Slice> loaded = read_slices(folder / "slices_loaded.bin");
  add("_quiet", all, 0.05, false);
  add("_loaded", loaded, 0.05, false);
  all.insert(all.end(), loaded.begin(), loaded.end());
  add("", all, 0.05, true);
  add("_2_percent", all, 0.02, false);
  return figures;
}

} // namespace sartor::bench
