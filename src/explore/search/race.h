// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_SEARCH_RACE_H
#define SARTOR_EXPLORE_SEARCH_RACE_H

#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include <sartor/race.hpp>

#include "explore/evidence/totals.h"
#include "explore/search/round.h"

namespace sartor {

/// What race() makes.
///
/// Racing: O. Maron and A. W. Moore, "Hoeffding Races", NIPS 6, 1993; paired within blocks as in
/// M. Birattari et al., "A Racing Algorithm for Configuring Metaheuristics", GECCO 2002; with the
/// anytime-valid bound of always_valid_radius() in place of a test at fixed sizes, on totals.
class Race final : public Strategy {
public:
  Race(std::vector<Configuration> candidates, const RaceOptions &options);

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override;
  [[nodiscard]] std::size_t slices() const override { return 1; }

  /// Whether the one is surely better than the other, as far as both have run.
  [[nodiscard]] bool is_ahead(const Configuration &one, const Configuration &other) const;
  /// The best of those that are surely better than this one; nothing if there is none.
  [[nodiscard]] std::optional<Configuration> best_ahead_of(const Configuration &one) const;
  /// The best of the others, whether still racing or not; nothing if no other has been measured.
  [[nodiscard]] std::optional<Configuration> runner_up() const;
  /// Those that are in the race but for `beaten`: who still runs, and who was dropped because of
  /// it.
  [[nodiscard]] std::vector<Configuration> without(const Configuration &beaten) const;

private:
  struct Runner {
    Configuration configuration;
    std::vector<Sample> samples{}; ///< One per round.
    /// By how much the best of those that were dropped because of this one may be better.
    double burden = 0;
    bool failed = false;
    std::optional<std::size_t> dropped_for{};
    bool is_beaten = false; ///< It is worse than that one, and not only no better.
  };

  void end_round();
  void drop_not_better(std::size_t leader);
  [[nodiscard]] std::size_t leader() const;

  const RaceOptions options_;
  double pair_error_ = 0;
  std::mt19937_64 random_;
  std::vector<Runner> runners_;
  std::vector<std::size_t> racing_; ///< Who is still in the race.
  Round round_;                     ///< Under way.
  std::size_t rounds_ = 0;          ///< Complete ones.
  std::size_t next_look_ = 2;
};

} // namespace sartor

#endif
