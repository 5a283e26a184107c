// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_LAG_H
#define SARTOR_TUNER_MEASURE_LAG_H

#include <chrono>
#include <cstddef>
#include <optional>

namespace sartor {

/// Estimates how long an objective lags after another variant was activated, because queues run
/// empty and caches fill. As long as samples right after a switch are surely more like the previous
/// variant's than usual, more time is left out. For use by one thread.
class Lag {
public:
  /// If the lag is known, it is not estimated.
  explicit Lag(std::optional<std::chrono::nanoseconds> known)
      : is_known_(known.has_value()), head_(known.value_or(std::chrono::nanoseconds())) {}

  struct AfterSwitch {
    double before; ///< Usual score of the previous variant,
    double usual;  ///< and of the active one, both without this sample.
    double first;  ///< Score right after the switch,
    double rest;   ///< and later.
  };
  /// Ignored unless all scores are positive, or all are negative.
  void add(const AfterSwitch &measured);
  /// Time to leave out after a switch: twice the estimated lag, so that the remaining effect has
  /// faded away.
  [[nodiscard]] std::chrono::nanoseconds head() const { return is_known_ ? head_ : 2 * head_; }

private:
  const bool is_known_;
  std::chrono::nanoseconds head_;
  /// How much samples resemble those of the previous variant.
  struct Likeness {
    std::size_t measured_samples = 0;
    double sum = 0, squares = 0;

    void add(double measured);
    [[nodiscard]] bool is_surely_positive(double errors) const;
  };
  Likeness all_, from_better_, from_worse_;
};

} // namespace sartor

#endif
