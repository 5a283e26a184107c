// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_COUNTER_WINDOW_H
#define SARTOR_TUNER_OBJECTIVE_COUNTER_WINDOW_H

#include <chrono>
#include <vector>

#include <sartor/strategy.hpp>

namespace sartor {

/// Duration of a window.
struct WindowLength {
  std::chrono::nanoseconds shortest;
  std::chrono::nanoseconds longest;
  double events; ///< A counter's window is prolonged until the counter has moved this often.
};

/// Value of an objective over a window.
struct ObjectiveSample {
  /// In the objective's own unit; NaN if a gauge gave no number at all. For a percentile, the mean
  /// of the underlying values: a few requests have no percentile.
  double value;
  double seconds; ///< Duration of the window.
  /// For a counter: its rate over the whole window; `value` leaves out work that was already under
  /// way when the window began.
  double average;
  /// Denominator of the value: seconds, or the `per` of a ratio. It is the weight of this sample in
  /// a mean of several.
  double weight = 1;
  bool is_set_back = false;               ///< A count has decreased: the rest is invalid.
  std::vector<BucketCount> requests = {}; ///< Requests of a percentile.
  /// For a weighted objective: the quantities other than the first; as scores, all of them.
  std::vector<QuantitySample> quantities = {};
  std::vector<BoundSample> bounds = {}; ///< Samples of all bounds of the objective.
};

/// Computes a rate from a counter's values.
///
/// The rate is taken from the counter's first change in the window to its last: so a slow counter
/// is not rounded to whole events per window, and work that was under way under the previous
/// variant does not count.
class CounterWindow {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// `step`: known size of a step of the counter; 0 if it is not known.
  CounterWindow(const WindowLength &length, Time start, double count, double step = 0)
      : length_(length), start_{start, count}, first_(start_), last_(start_), now_(start_),
        largest_step_(step) {}

  /// Adds the counter's next value.
  void read(Time time, double count);
  /// True if the window has seen enough, or lasted for long enough, or the counter can no longer
  /// reach the rate `hopeless_below`, or was set back.
  [[nodiscard]] bool over(double hopeless_below) const;
  /// Time until the next read.
  [[nodiscard]] std::chrono::nanoseconds nap() const;
  [[nodiscard]] ObjectiveSample measured() const;
  /// Known size of a step of the counter.
  [[nodiscard]] double step() const { return largest_step_; }

private:
  struct Count {
    Time time;
    double count;
  };

  [[nodiscard]] bool is_hopeless(double below) const;
  [[nodiscard]] double elapsed() const;
  [[nodiscard]] double moved() const { return now_.count - start_.count; }
  [[nodiscard]] bool has_two_changes() const { return last_.count != first_.count; }

  const WindowLength length_;
  const Count start_;
  bool is_set_back_ = false;
  Count first_, last_, now_; ///< After the first change, after the last, and latest.
  double largest_step_;      ///< Between two reads; zero until the counter has moved.
};

} // namespace sartor

#endif
