// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STRATEGY_HPP
#define SARTOR_STRATEGY_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>

namespace sartor {

/// A mean and the interval it lies in with the strategy's confidence.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::size_t windows = 0; ///< How many windows it rests on.
};

/// So many requests in one bucket of a histogram.
struct BucketCount {
  std::uint32_t bucket = 0;
  std::uint64_t count = 0;
  bool operator==(const BucketCount &) const = default;
};

/// What one quantity of a weighted objective was.
struct QuantityReading {
  double value = 0;  ///< As a score: higher is better.
  double weight = 0; ///< What that is by, as Trial::weight; 0 if nothing was seen.
  std::vector<BucketCount> requests = {}; ///< Of a percentile.
  bool operator==(const QuantityReading &) const = default;
};

/// What a quantity was that the objective is subject to.
struct BoundReading {
  double value = 0;  ///< In its own unit; of a percentile, the share of requests above the limit.
  double weight = 0; ///< What that is by, seconds or requests; 0 if nothing was seen.
  bool operator==(const BoundReading &) const = default;
};

/// What measuring a configuration came to.
struct Trial {
  Configuration configuration;
  /// The objective; higher is always better: the explorer gives -value of what should be low, and
  /// 1/value of a percentile. Scores of one exploration can be compared with each other: where
  /// Strategy::slices() is more than 1, drift of the load is taken out already. Where a bound is
  /// broken, it is lowered by as much, so that strategies keep away.
  double score = 0;
  /// Its standard error; zero if nothing is known of it, as after one slice.
  double error = 0;
  std::size_t slices = 1; ///< How many slices it rests on.
  /// The configuration could not be compiled or run; the rest says nothing then.
  bool failed = false;
  /// It was given up before all its slices were done, being surely worse than the best.
  bool cut_short = false;
  /// How much one slice counts beside others, where they are not equally long: what a score is by,
  /// for instance the seconds of a rate. Scores of several slices have a mean only with it.
  double weight = 1;
  double seconds = 0; ///< How long it was measured for, of wall time.
  /// Of a percentile, what it was read from: requests by bucket, empty ones left out. A mean of
  /// percentiles is no percentile; those of several trials together have one.
  std::vector<BucketCount> requests = {};
  /// Of a weighted objective, in the order of Objective::quantities; `score` is of all together.
  std::vector<QuantityReading> quantities = {};
  std::vector<BoundReading> bounds = {}; ///< In the order of Objective::bounds.
  /// The first bound that the configuration surely breaks, by all that was seen of it; the trial
  /// was ended there and then.
  std::optional<std::size_t> breaks = {};
  /// What was in force when the exploration began scores on the same scale: a score over this is
  /// the same on all machines of a kind, however much they have to do. Zero: nobody knows, as in
  /// trials of one slice.
  double reference = 0;
};

/// How sure the explorer is of its choice.
enum class Verdict : std::uint8_t {
  better,    ///< It is better than what was in force before, at the stated error.
  no_gain,   ///< Nothing that was tried is better by more than the tolerance: what was in force
             ///< stays.
  undecided, ///< The evidence did not suffice in the time it got: what was in force stays.
};

/// What a strategy settled on; what the explorer did, where it is the explorer's.
struct Decision {
  Configuration configuration;
  /// Of its score; the explorer's are in the unit of the objective.
  Estimate estimate;
  /// By how much it is better than what was in force when the exploration began, as a share of
  /// that: 0.05 is 5 % more. Where that stays in force, by how much the best of the others is.
  /// The explorer's; zero from a strategy.
  Estimate gain = {};
  Verdict verdict = Verdict::undecided;
  /// The best of those it was compared with that break no bound; nothing if there was none.
  std::optional<Configuration> runner_up = std::nullopt;
  /// What the objective's bounds came to under the choice while it was confirmed, or watched where
  /// it stays, in their order, as in BoundReading.
  std::vector<Estimate> bounds = {};
  /// False: it is not known to keep them all. What was in force stays where the evidence did not
  /// suffice; where everything breaks a bound, the choice breaks it the least.
  bool keeps_bounds = true;
};

/// Proposes configurations and is told their results, until there is nothing to ask. Called from
/// one thread.
class Strategy {
public:
  virtual ~Strategy() = default;
  /// What to try next, or nothing when the strategy is sure. May be asked again before the results
  /// of what it gave are told, which come in any order; nothing then means: not before those.
  virtual std::optional<Configuration> ask() = 0;
  virtual void tell(const Trial &trial) = 0;
  /// The best so far. Valid after the first successful trial; before that, the generic code.
  [[nodiscard]] virtual Decision best() const = 0;
  /// How many slices a trial takes at most, each paired with one of the configuration in force. 1:
  /// a trial is a single slice, the strategy asks for the same configurations again and again and
  /// pairs them itself.
  [[nodiscard]] virtual std::size_t slices() const { return 8; }
};

} // namespace sartor

#endif
