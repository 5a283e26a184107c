// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_COUNTER_WINDOW_H
#define SARTOR_TUNER_OBJECTIVE_COUNTER_WINDOW_H

#include <chrono>
#include <vector>

#include <sartor/strategy.hpp>

namespace sartor {

/// How long a window lasts.
struct WindowLength {
  std::chrono::nanoseconds shortest;
  std::chrono::nanoseconds longest;
  double events; ///< A counter's window is prolonged until it has moved this often.
};

/// What an objective was over a window.
struct Reading {
  /// In the objective's own unit; NaN if a gauge gave no number at all. Of a percentile, the mean
  /// of what it is one of: a few requests have no percentile.
  double value;
  double seconds; ///< How long the window was.
  /// Of a counter: its rate over all of the window; `value` leaves out what was under way when it
  /// began.
  double average;
  /// What the value is by, in seconds or whatever the objective is by: values of several readings
  /// have a mean only with it.
  double weight = 1;
  bool is_set_back = false;               ///< A count became less: the rest says nothing.
  std::vector<BucketCount> requests = {}; ///< Of a percentile.
  /// Of a weighted objective: those beside the first; as scores all, the first before them.
  std::vector<QuantityReading> quantities = {};
  std::vector<BoundReading> bounds = {}; ///< Of all of the objective's.
};

/// Makes a rate of a counter's readings.
///
/// The rate is taken from the counter's first change in the window to its last: so a slow counter
/// is not rounded to whole events per window, and what was under way under the variant before does
/// not count.
class CounterWindow {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// `step`: how much the counter is known to move at a time; 0 if that is not known.
  CounterWindow(const WindowLength &length, Time start, double count, double step = 0)
      : length_(length), start_{start, count}, first_(start_), last_(start_), now_(start_),
        largest_step_(step) {}

  /// The counter's next reading.
  void read(Time time, double count);
  /// Whether the window has seen enough, or lasted for long enough, or the counter cannot reach the
  /// rate `hopeless_below` any more, or was set back.
  [[nodiscard]] bool over(double hopeless_below) const;
  /// When to read next.
  [[nodiscard]] std::chrono::nanoseconds nap() const;
  [[nodiscard]] Reading reading() const;
  /// By how much the counter is known to move at a time.
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
  Count first_, last_, now_; ///< After the first change, after the last, and the last reading.
  double largest_step_;      ///< Between two readings; zero until the counter has moved.
};

} // namespace sartor

#endif
