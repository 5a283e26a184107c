// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures whether explorations decide correctly under recorded noise, and how many samples
/// a race takes: 7 variants, the best of them ahead by 5 %, 1,000 races and 300 whole explorations
/// of each recording. A variant's throughput is the recorded one at that time, as a share of its
/// own mean, times its true value.
///
/// The figures use three programs by which no limit was tuned (noise/README_variants.md), in which
/// each variant has noise of its own. An exploration uses the real strategy, meter, budget and
/// confirmation, with the defaults. Figures with `tuned` use earlier recordings of one variant each
/// (noise/README_slices.md), by which limits of the race were tuned.
///
/// A choice is wrong if the chosen variant is worse than the best by more than the tolerance, 1 %,
/// and the explorer is sure; `undecided` is shown separately. A race is compared with the best
/// scheme of a fixed number of samples: the same interleaved rounds in random order and the same
/// means, with the number of rounds, if it were known, that gives equally few wrong choices. The
/// initial implementation's scheme, one long window for each variant, is also shown.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sartor/race.hpp>

#include "../test/explore/worlds.h"
#include "figures.h"
#include "noise/slices.h"
#include "noise/variants.h"
#include "paths.h"
#include "tuner/evidence/interval.h"

namespace sartor::bench {

const char *const bench_name = "explore-noise";

namespace {

/// Replays a recording of variants for a program that activates them in some order: a variant's
/// next sample is one of the current round, or the one after its last sample.
class VariantsReplay {
public:
  /// `recorded` must outlive the replay.
  VariantsReplay(const RecordedVariants &recorded, std::size_t begin)
      : recorded_(recorded), now_(begin), next_(recorded.variants(), begin) {
    for (std::size_t i = 0; i < recorded.variants(); ++i)
      means_.push_back(recorded.rate_of(i));
  }

  /// Returns the next sample, as a share of the variant's mean. The first round follows the last
  /// one.
  RecordedVariants::Slice next(std::size_t variant) {
    std::size_t &round = next_[variant];
    now_ = round = std::max(round, now_);
    const auto &[rate, seconds] = recorded_.sample_time(variant, round++ % recorded_.rounds());
    return {rate / means_[variant], seconds};
  }

private:
  const RecordedVariants &recorded_;
  std::size_t now_;
  std::vector<std::size_t> next_; ///< Indexed by variant.
  std::vector<double> means_;
};

constexpr std::size_t kRuns = 1000;
constexpr std::size_t kExplorations = 300;
constexpr double kTolerance = RaceOptions().tolerance;
constexpr std::size_t kMostRounds = 4096; // limit of rounds of a fixed scheme

/// Returns the true values of the variants: 1 for the best, and increasing distances for the
/// others.
std::vector<double> worths(double lead) {
  return {1, 1 - lead, 1 - 1.6 * lead, 1 - 0.12, 1 - 0.2, 1 - 0.35, 1 - 0.5};
}

/// The throughput of a variant's next sample, as a share of its mean.
struct Noise {
  double share;
  double seconds;
};
using Replay = std::function<Noise(std::size_t variant)>;
/// Starts a replay at a random moment.
using MakeReplay = std::function<Replay(std::mt19937_64 &random)>;

/// Replays a recording of one variant sample by sample, for all variants.
MakeReplay replay_of(const std::vector<Slice> &sample_count) {
  return [&sample_count](std::mt19937_64 &random) -> Replay {
    return [&sample_count, now = random() % sample_count.size()](std::size_t) mutable -> Noise {
      now = (now + 1) % sample_count.size();
      // A sample without any work is prolonged until there is some.
      return {std::max(sample_count[now].throughput, 0.001), 1};
    };
  };
}
MakeReplay replay_of(const RecordedVariants &variants) {
  return [&variants](std::mt19937_64 &random) -> Replay {
    return [replay = VariantsReplay(variants, random() % variants.rounds())](
               std::size_t variant) mutable -> Noise {
      const auto [rate, seconds] = replay.next(variant);
      return {rate, seconds};
    };
  };
}

/// A program for an exploration, whose variants have these true values.
class RecordedWorld final : public worlds::World {
public:
  RecordedWorld(Replay replay, std::vector<double> worths)
      : replay_(std::move(replay)), worths_(std::move(worths)), left_(worths_.size()) {}

  [[nodiscard]] const std::vector<double> &truth() const override { return worths_; }
  Step step(std::size_t variant) override {
    Noise &left = left_[variant];
    double work = 0;
    for (double to_go = worlds::step_seconds; to_go > 0;) {
      if (left.seconds <= 0)
        left = replay_(variant);
      const double taken = std::min(to_go, left.seconds);
      work += worths_[variant] * left.share * taken;
      left.seconds -= taken;
      to_go -= taken;
    }
    return {1000 * work, worlds::step_seconds};
  }

private:
  Replay replay_;
  const std::vector<double> worths_;
  std::vector<Noise> left_; ///< Remaining part of each variant's current sample.
};

struct Case {
  Replay replay;
  std::vector<double> worth; ///< The order differs in each run.
  std::mt19937_64 random;
};

Case make_case(const MakeReplay &replay, double lead, std::size_t run) {
  std::mt19937_64 random(run + 1);
  std::vector<double> worth = worths(lead);
  std::ranges::shuffle(worth, random);
  Replay begun = replay(random);
  return {std::move(begun), std::move(worth), random};
}

bool is_wrong(double chosen) { return chosen < 1 - kTolerance; }

struct Outcome {
  double wrong = 0;        ///< Share of runs.
  double undecided = 0;    ///< Share of runs.
  double sample_count = 0; ///< Mean.
};

Outcome race_runs(const MakeReplay &replay, double lead) {
  Outcome outcome;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Case some = make_case(replay, lead, run);
    std::vector<Configuration> candidates;
    for (std::size_t i = 0; i < some.worth.size(); ++i)
      candidates.push_back({{"variant", i}});
    const auto strategy = race(candidates, {.seed = run + 1});
    while (const auto asked = strategy->ask()) {
      const auto variant = asked->find("variant")->values.front().integer();
      const auto [share, seconds] = some.replay(static_cast<std::size_t>(variant));
      strategy->tell({.configuration = *asked,
                      .score = share * some.worth[static_cast<std::size_t>(variant)],
                      .weight = seconds});
      outcome.sample_count += 1.0 / kRuns;
    }
    const auto chosen = strategy->best().configuration.find("variant")->values.front().integer();
    outcome.wrong += is_wrong(some.worth[static_cast<std::size_t>(chosen)]) ? 1.0 / kRuns : 0;
  }
  return outcome;
}

Outcome explorations(const MakeReplay &replay, double lead) {
  Outcome outcome;
  for (std::size_t run = 0; run < kExplorations; ++run) {
    Case some = make_case(replay, lead, run);
    RecordedWorld world(std::move(some.replay), std::move(some.worth));
    const worlds::Outcome found = worlds::explore(world, {}, run + 1);
    const bool is_sure = found.verdict != Verdict::undecided;
    outcome.wrong += is_sure && is_wrong(found.chosen) ? 1.0 / kExplorations : 0;
    outcome.undecided += is_sure ? 0 : 1.0 / kExplorations;
  }
  return outcome;
}

/// Simulates interleaved rounds in random order; the variant with the best mean, compared with the
/// median variant, is chosen.
Outcome paired_runs(const MakeReplay &replay, double lead, std::size_t rounds) {
  Outcome outcome;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Case some = make_case(replay, lead, run);
    const std::size_t variants = some.worth.size();
    std::vector<std::vector<double>> ahead(variants);
    std::vector<std::size_t> order(variants);
    for (std::size_t i = 0; i < variants; ++i)
      order[i] = i;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, some.random);
      std::vector<double> scores(variants);
      for (const std::size_t variant : order)
        scores[variant] = some.replay(variant).share * some.worth[variant];
      const double middle = sartor::median(scores);
      for (std::size_t variant = 0; variant < variants; ++variant)
        ahead[variant].push_back(advantage(scores[variant], middle));
    }
    std::vector<double> means;
    for (const auto &each : ahead)
      means.push_back(robust_mean(each, 0).mean);
    const auto chosen = std::ranges::max_element(means) - means.begin();
    outcome.wrong += is_wrong(some.worth[static_cast<std::size_t>(chosen)]) ? 1.0 / kRuns : 0;
  }
  outcome.sample_count = static_cast<double>(rounds * worths(lead).size());
  return outcome;
}

/// Simulates one window of `length` samples for each variant, one after another.
Outcome blocked_runs(const MakeReplay &replay, double lead, std::size_t length) {
  Outcome outcome;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Case some = make_case(replay, lead, run);
    std::vector<double> sums;
    for (std::size_t variant = 0; variant < some.worth.size(); ++variant) {
      sums.push_back(0);
      for (std::size_t i = 0; i < length; ++i)
        sums.back() += some.replay(variant).share * some.worth[variant];
    }
    const auto chosen = std::ranges::max_element(sums) - sums.begin();
    outcome.wrong += is_wrong(some.worth[static_cast<std::size_t>(chosen)]) ? 1.0 / kRuns : 0;
  }
  outcome.sample_count = static_cast<double>(length * worths(lead).size());
  return outcome;
}

/// Returns the result of the fixed scheme with the fewest rounds that is wrong at most as often as
/// `wrong`.
Outcome fixed_at(const MakeReplay &replay, double lead, double wrong) {
  std::size_t enough = 1;
  while (enough < kMostRounds && paired_runs(replay, lead, enough).wrong > wrong)
    enough *= 2;
  std::size_t too_few = enough / 2;
  while (enough - too_few > 1 + enough / 32) {
    const std::size_t middle = (enough + too_few) / 2;
    (paired_runs(replay, lead, middle).wrong > wrong ? too_few : enough) = middle;
  }
  return paired_runs(replay, lead, enough);
}

/// Returns a share of `runs` runs in percent, with Wilson's interval.
Interval percentage(double share, std::size_t runs) {
  const auto [value, low, high] = wilson(share, static_cast<double>(runs));
  return {100 * value, 100 * low, 100 * high};
}

} // namespace

std::vector<Figure> measure() {
  const std::filesystem::path folder = paths::bench_noise();
  std::vector<Figure> figures;
  const auto add = [&](const std::string &suffix, const MakeReplay &replay, double lead) {
    const Outcome raced = race_runs(replay, lead);
    const Outcome fixed = fixed_at(replay, lead, std::max(raced.wrong, 1.0 / kRuns));
    const auto as_long = static_cast<std::size_t>(fixed.sample_count / 7);
    figures.insert(figures.end(), {{"race_wrong" + suffix, "%", percentage(raced.wrong, kRuns)},
                                   {"windows_over_fixed" + suffix, "ratio",
                                    exactly(raced.sample_count / fixed.sample_count)},
                                   {"sample_count" + suffix, "", exactly(raced.sample_count)},
                                   {"fixed_slices" + suffix, "", exactly(fixed.sample_count)},
                                   {"one_window_each_wrong" + suffix, "%",
                                    percentage(blocked_runs(replay, lead, as_long).wrong, kRuns)}});
    return raced.sample_count / fixed.sample_count;
  };
  // The figure is that of the worst of three programs.
  Interval wrong{-1, 0, 0};
  double over_fixed = 0;
  for (const char *program : {"matrix", "router", "redis"}) {
    const auto variants = RecordedVariants::read(folder / (std::string(program) + ".variants"));
    const MakeReplay replay = replay_of(variants);
    const std::string suffix = std::string("_") + program;
    const Outcome explored = explorations(replay, 0.05);
    const Interval share = percentage(explored.wrong, kExplorations);
    figures.push_back({"wrong_choices" + suffix, "%", share});
    figures.push_back({"undecided" + suffix, "%", percentage(explored.undecided, kExplorations)});
    if (share.value > wrong.value)
      wrong = share;
    over_fixed = std::max(over_fixed, add(suffix, replay, 0.05));
  }
  figures.push_back({"wrong_choices", "%", wrong, at_most(1)});
  figures.push_back({"windows_over_fixed", "ratio", exactly(over_fixed), at_most(0.4)});

  std::vector<Slice> all = read_slices(folder / "slices_quiet.bin");
  const std::vector<Slice> loaded = read_slices(folder / "slices_loaded.bin");
  add("_tuned_quiet", replay_of(all), 0.05);
  add("_tuned_loaded", replay_of(loaded), 0.05);
  all.insert(all.end(), loaded.begin(), loaded.end());
  add("_tuned", replay_of(all), 0.05);
  add("_tuned_2_percent", replay_of(all), 0.02);
  return figures;
}

} // namespace sartor::bench
