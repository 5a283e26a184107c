// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_RACE_H
#define SARTOR_TUNER_SEARCH_RACE_H

#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include <sartor/race.hpp>

#include "tuner/evidence/evidence.h"
#include "tuner/evidence/looks.h"
#include "tuner/search/round.h"

namespace sartor {

/// The strategy of race().
///
/// Racing: O. Maron and A. W. Moore, "Hoeffding Races", NIPS 6, 1993; paired within blocks as in M.
/// Birattari et al., "A Racing Algorithm for Configuring Metaheuristics", GECCO 2002; with the
/// anytime-valid PairedTest in place of a test at fixed sizes, on totals.
class Race final : public Strategy {
public:
  /// Compares by `evidence`. A runner that surely breaks a bound leaves the race, unless a bound is
  /// compared.
  Race(std::vector<Configuration> candidates, const RaceOptions &options,
       const Evidence &evidence = {});

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override;
  [[nodiscard]] std::size_t sample_count() const override { return 1; }

  /// True if the one is surely better than the other, by the rounds that both have run.
  [[nodiscard]] bool is_ahead(const Configuration &one, const Configuration &other) const;
  /// A broken bound, if all runners that could be measured break one.
  [[nodiscard]] std::optional<std::size_t> broken_by_all() const;
  /// The runners still racing, and those that were dropped for a runner that has turned out to
  /// break a bound; empty if there were none of the latter.
  [[nodiscard]] std::vector<Configuration> to_race_again() const;
  /// The best of the runners that are surely better than this one; nothing if there is none.
  [[nodiscard]] std::optional<Configuration> best_ahead_of(const Configuration &one) const;
  /// The best of the others that break no bound, whether still racing or not; nothing if no other
  /// has been measured.
  [[nodiscard]] std::optional<Configuration> runner_up() const;
  /// The runners without `beaten`: those still racing, and those that were dropped because of it.
  [[nodiscard]] std::vector<Configuration> without(const Configuration &beaten) const;

private:
  struct Runner {
    Configuration configuration;
    std::vector<Sample> samples{}; ///< One per round.
    /// Maximum lead over this runner of the runners that were dropped because of it.
    double burden = 0;
    bool failed = false;
    std::optional<std::size_t> dropped_for{};
    std::optional<std::size_t> breaks{}; ///< Index of a bound.
    bool is_beaten = false;              ///< Surely worse than that one, not only no better.
  };

  void end_round();
  [[nodiscard]] bool is_over() const;
  template <class IsIt> [[nodiscard]] bool was_dropped_for(const Runner &runner, IsIt is_it) const;
  void drop_not_better(std::size_t leader);
  [[nodiscard]] std::size_t leader() const;

  const RaceOptions options_;
  const Evidence evidence_;
  double pair_error_ = 0;
  std::mt19937_64 random_;
  std::vector<Runner> runners_;
  std::vector<std::size_t> racing_; ///< Runners still in the race.
  Round round_;                     ///< The current round.
  std::size_t rounds_ = 0;          ///< Complete rounds.
  Looks looks_{2};
};

} // namespace sartor

#endif
