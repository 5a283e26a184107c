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
#include "tuner/search/round.h"

namespace sartor {

/// Whether a nominee is better than what is in force, and not worse than others, on the whole: by
/// what each does in blocks of time side by side, stalls and all. What has not been seen yet may be
/// a standstill (log_wealth()), so that a gain is believed the later the smaller it is; and a
/// nominee that is fast as a rule and stands still now and then is found out, or not believed.
///
/// A nominee must surely keep all bounds. What surely breaks one runs no more, and anything that
/// keeps them is better; in place of what is in force and breaks one, where there is no time left,
/// also what is not sure to keep them but does so far.
///
/// A strategy that asks for one block after the other. For use by one thread.
class Confirmation final : public Strategy {
public:
  struct Options {
    /// That it says `better` of a nominee that is not; the same again that it breaks a bound.
    double error_probability = 0.05;
    double tolerance = 0.01;
    double fewest_seconds = 3; ///< Of measuring, all together.
    double most_seconds = 15;
    std::uint64_t seed = 1; ///< Of the order within rounds.
    Evidence evidence = {};
    std::vector<Limit> limits = {}; ///< Of the bounds.
  };

  /// Against what is in force, and others that may be in force after it (`generic`, for one). All
  /// different.
  Confirmation(Configuration nominee, Configuration incumbent, std::vector<Configuration> others,
               const Options &options);

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  /// The nominee where it is better, else the incumbent; with gain and verdict.
  [[nodiscard]] Decision best() const override;
  [[nodiscard]] std::size_t slices() const override { return 1; }

private:
  struct Contestant {
    Configuration configuration;
    std::vector<Sample> samples{};
    std::vector<std::size_t> rounds{}; ///< In which these were taken: the nominee's in each.
    std::vector<std::vector<BoundReading>> bounds{}; ///< By bound.
    bool breaks_bound = false;
    bool is_far = false;    ///< So far behind that it need not run in each round.
    bool is_beaten = false; ///< Surely not better than the nominee, nor in force: runs no more.
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
  Round round_;                         ///< Under way.
  std::size_t rounds_ = 0;
  std::size_t next_look_ = 4;
  double seconds_ = 0; ///< Of measuring.
  std::optional<Verdict> verdict_;
};

} // namespace sartor

#endif
