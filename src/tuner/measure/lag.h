// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_LAG_H
#define SARTOR_TUNER_MEASURE_LAG_H

#include <chrono>
#include <cstddef>
#include <optional>

namespace sartor {

/// How long an objective goes on as before when another variant has been put in force: queues run
/// empty, caches fill. Found out from readings after a switch: as long as they are surely more like
/// what was in force before than usual ones are, more is left out. For use by one thread.
class Lag {
public:
  /// With a lag that is known, nothing is found out.
  explicit Lag(std::optional<std::chrono::nanoseconds> known)
      : is_known_(known.has_value()), head_(known.value_or(std::chrono::nanoseconds())) {}

  struct AfterSwitch {
    double before; ///< What was in force before scores as a rule,
    double usual;  ///< ... and what is in force now, both without this reading.
    double first;  ///< What it has scored right after the switch,
    double rest;   ///< ... and later.
  };
  /// Says nothing unless all are positive, or all negative.
  void add(const AfterSwitch &reading);
  /// How much to leave out after a switch: of what was found out, twice as much, for the rest of
  /// what fades away.
  [[nodiscard]] std::chrono::nanoseconds head() const { return is_known_ ? head_ : 2 * head_; }

private:
  const bool is_known_;
  std::chrono::nanoseconds head_;
  /// By how much readings are like what was in force before.
  struct Likeness {
    std::size_t readings = 0;
    double sum = 0, squares = 0;

    void add(double reading);
    [[nodiscard]] bool is_surely_positive(double errors) const;
  };
  Likeness all_, from_better_, from_worse_;
};

} // namespace sartor

#endif
