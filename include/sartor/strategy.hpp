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

/// A mean, and an interval that contains it with the strategy's confidence.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::size_t windows = 0; ///< Number of samples that it is based on.
};

/// Number of requests in one bucket of a histogram.
struct BucketCount {
  std::uint32_t bucket = 0;
  std::uint64_t count = 0;
  bool operator==(const BucketCount &) const = default;
};

/// A sample of one quantity of a weighted objective.
struct QuantitySample {
  double value = 0;                       ///< As a score: higher is better.
  double weight = 0;                      ///< See Trial::weight; 0 if nothing was measured.
  std::vector<BucketCount> requests = {}; ///< For a percentile.
  bool operator==(const QuantitySample &) const = default;
};

/// A sample of a quantity that bounds the objective.
struct BoundSample {
  double value = 0;  ///< In its own unit; for a percentile, the share of requests above the limit.
  double weight = 0; ///< Weight in seconds or requests; 0 if nothing was measured.
  bool operator==(const BoundSample &) const = default;
};

/// Result of measuring one configuration.
struct Trial {
  Configuration configuration;
  /// The objective; higher is always better: the explorer gives -value of an objective that should
  /// be low, and 1/value of a percentile. Scores of one exploration can be compared with each
  /// other: if Strategy::sample_count() is more than 1, drift of the load is already removed. If a
  /// bound is violated, the score is lowered in proportion, so that strategies avoid the
  /// configuration.
  double score = 0;
  /// Standard error of the score; zero if it is not known, as after a single sample.
  double error = 0;
  std::size_t sample_count = 1; ///< Number of samples that the score is based on.
  /// The configuration could not be compiled or run; the other fields are meaningless then.
  bool failed = false;
  /// The trial was ended before all its samples were taken, being surely worse than the best.
  bool cut_short = false;
  /// Weight of a sample relative to others, if they are not equally long: for instance the seconds
  /// of a rate. It is required to compute the mean of several samples.
  double weight = 1;
  double seconds = 0; ///< Wall time of the measurement.
  /// For a percentile: the requests by bucket, without empty buckets. A mean of percentiles is no
  /// percentile; the percentile of several trials is computed from their buckets.
  std::vector<BucketCount> requests = {};
  /// For a weighted objective, in the order of Objective::quantities; `score` is of all together.
  std::vector<QuantitySample> quantities = {};
  std::vector<BoundSample> bounds = {}; ///< In the order of Objective::bounds.
  /// The first bound that the configuration surely violates, by all samples of it; the trial was
  /// ended then.
  std::optional<std::size_t> breaks = {};
  /// Score, on the same scale, of the configuration that was active when the exploration began. The
  /// quotient of both scores is the same on all machines of a kind, at any load. Zero if not known,
  /// as in trials with a single sample.
  double reference = 0;
};

/// The explorer's certainty about its choice.
enum class Verdict : std::uint8_t {
  better,    ///< It is better than the configuration that was active before, at the stated error.
  no_gain,   ///< No configuration is better by more than the tolerance: the active one stays.
  undecided, ///< The evidence did not suffice in the available time: the active configuration
             ///< stays.
};

/// The choice of a strategy or of the explorer.
struct Decision {
  Configuration configuration;
  /// Estimate of its score; the explorer's are values of what `objective` names.
  Estimate estimate;
  /// Gain over the configuration that was active when the exploration began, as a share of its
  /// score: 0.05 is 5 % more. If that one stays active, the gain of the best of the others. Set by
  /// the explorer; zero from a strategy.
  Estimate gain = {};
  Verdict verdict = Verdict::undecided;
  /// The best of the compared configurations that violate no bound; nothing if there was none.
  std::optional<Configuration> runner_up = std::nullopt;
  /// Values of the objective's bounds under the choice while it was confirmed, or monitored if it
  /// stays, in their order, as in BoundSample.
  std::vector<Estimate> bounds = {};
  /// False if it is not known to keep all bounds. If the evidence did not suffice, the active
  /// configuration stays; if every configuration violates a bound, the choice has the least
  /// violation.
  bool keeps_bounds = true;
  /// Name and unit of what the explorer compared: the objective's; or those of the cost of a unit
  /// of work, if a rate would have shown the offered load (see Objective::rate_of()). Empty from a
  /// strategy.
  std::string objective = {};
  std::string unit = {};
};

/// Proposes configurations and receives their results, until there is nothing to propose. Called
/// from one thread.
class Strategy {
public:
  virtual ~Strategy() = default;
  /// Returns the configuration to try next, or nothing when the strategy is sure. May be called
  /// again before the results of earlier proposals arrive, which come in any order; nothing then
  /// means that it needs those results first.
  virtual std::optional<Configuration> ask() = 0;
  virtual void tell(const Trial &trial) = 0;
  /// The best so far. Valid after the first successful trial; before that, the generic code.
  [[nodiscard]] virtual Decision best() const = 0;
  /// The maximum number of samples of a trial, each paired with one of the active configuration. 1:
  /// a trial is a single sample; the strategy proposes the same configurations again and again and
  /// pairs them itself.
  [[nodiscard]] virtual std::size_t sample_count() const { return 8; }
};

} // namespace sartor

#endif
