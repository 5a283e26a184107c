// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_CONFIRMATION_H
#define SARTOR_TUNER_SEARCH_CONFIRMATION_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <sartor/strategy.hpp>

#include "tuner/evidence/evidence.h"
#include "tuner/evidence/limit.h"
#include "tuner/evidence/looks.h"
#include "tuner/search/round.h"

namespace sartor {

/// Decides whether a nominee is better than the active configuration, and not worse than others,
/// overall: by the performance of each in blocks of time side by side, including stalls. Future
/// blocks may contain a standstill (Bet), so the smaller a gain is, the later it is
/// believed. A nominee that is usually fast but stands still now and then is detected, or not
/// believed.
///
/// A nominee must surely keep all bounds. A configuration that surely breaks one runs no more, and
/// any that keeps them is better. If the active configuration breaks a bound and there is no time
/// left, a nominee that has kept the bounds so far is accepted, even if it is not sure.
///
/// A strategy that asks for one block after the other. For use by one thread.
class Confirmation final : public Strategy {
public:
  struct Options {
    /// Probability that the verdict is `better` for a nominee that is not; and, in addition, that a
    /// nominee is wrongly found to break a bound.
    double error_probability = 0.05;
    double tolerance = 0.01;
    double fewest_seconds = 3; ///< Minimum time of measuring, all together.
    double most_seconds = 15;
    std::uint64_t seed = 1; ///< Seed of the order within rounds.
    Evidence evidence = {};
    std::vector<Limit> limits = {}; ///< Limits of the bounds.
  };

  /// Compares the nominee with the active configuration, and with others that may become active
  /// after it (such as `generic`). All must be different.
  Confirmation(Configuration nominee, Configuration incumbent, std::vector<Configuration> others,
               const Options &options);

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  /// The nominee if it is better, otherwise the incumbent; with gain and verdict.
  [[nodiscard]] Decision best() const override;
  [[nodiscard]] std::size_t sample_count() const override { return 1; }

private:
  struct Contestant {
    Configuration configuration;
    std::vector<Sample> samples{};
    std::vector<std::size_t> rounds{}; ///< Rounds of these samples: all for the nominee.
    std::vector<std::vector<BoundSample>> bounds{}; ///< By bound.
    bool breaks_bound = false;
    bool is_far = false;    ///< So far behind that it need not run in each round.
    bool is_beaten = false; ///< Surely not better than the nominee, and not active: runs no more.
    bool has_failed = false;
  };

  void start_round();
  void look();
  void end();
  [[nodiscard]] bool keeps_bounds() const;
  [[nodiscard]] bool seems_to_keep_bounds() const;
  [[nodiscard]] bool has_had(double seconds) const;
  [[nodiscard]] std::vector<Sample> nominees_beside(const Contestant &other) const;
  [[nodiscard]] bool is_believed(std::span<const Sample> more, std::span<const Sample> than,
                                 double margin) const;
  [[nodiscard]] Estimate gain_over(const Contestant &other) const;
  [[nodiscard]] double claim() const;

  const Options options_;
  std::mt19937_64 random_;
  std::vector<Contestant> contestants_; ///< The nominee, the incumbent, others.
  Round round_;                         ///< The current round.
  std::size_t rounds_ = 0;
  Looks looks_{4};
  double seconds_ = 0; ///< Seconds of measuring.
  std::optional<Verdict> verdict_;
};

} // namespace sartor

#endif
