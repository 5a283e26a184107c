// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_ECONOMY_QUASI_INVARIANT_PROGRAM_H
#define SARTOR_TUNER_ECONOMY_QUASI_INVARIANT_PROGRAM_H

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "runtime/active_assumptions.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/stores.h"
#include "tuner/measure/window_meter.h"
#include "tuner/objective/cpu_time.h"

namespace sartor {

/// A program with two "configurations": a quasi-invariant is valid, or it is set aside. A window in
/// which the program violates the quasi-invariant is measured again. For use by one thread; the
/// constructor's reference arguments must outlive it. The destructor allows the quasi-invariant to
/// become valid again.
class QuasiInvariantProgram final : public MeasuredProgram {
public:
  /// Thrown if the quasi-invariant changed its state in all windows for `patience`.
  class Restless : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
  };

  /// Activity of the program per second.
  struct Doing {
    double calls = 0;
    double processors = 0;
    double asked = 0;
  };

  /// `windows` measures the windows. `calls` counts calls; it may be empty.
  QuasiInvariantProgram(MeasuredProgram &windows,
                        std::shared_ptr<runtime::QuasiInvariantState> quasi_invariant,
                        const Runtime &runtime, std::function<double()> calls,
                        std::chrono::nanoseconds patience);
  ~QuasiInvariantProgram() override;
  QuasiInvariantProgram(const QuasiInvariantProgram &) = delete;
  QuasiInvariantProgram &operator=(const QuasiInvariantProgram &) = delete;

  static Configuration with() { return {}; }
  static Configuration without() { return {{"quasi_invariant", 0}}; }

  void activate(const Configuration &configuration) override;
  /// Throws Restless, and bad_invariant if the quasi-invariant is destroyed.
  std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                             double hopeless_below,
                                             const std::stop_token &stop) override;
  std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token &stop) override;

  /// Activity in windows of this configuration; without such windows, in the whole time.
  [[nodiscard]] Doing doing(const Configuration &configuration);

private:
  struct Mark {
    std::chrono::steady_clock::time_point time;
    double calls;
    double processors;
    double asked;
    double making; ///< Compiling variants that depend on the quasi-invariant.
    std::uint64_t invalidated;
  };
  struct Sums {
    double seconds = 0;
    Doing all;
    void add(const Mark &before, const Mark &after);
  };
  bool try_once();
  bool establish(const std::stop_token &stop);
  [[nodiscard]] bool is_as_wanted(std::uint64_t invalidated_before) const;
  [[nodiscard]] Mark mark();
  [[nodiscard]] const char *what_is_wrong() const;

  MeasuredProgram &windows_;
  const std::shared_ptr<runtime::QuasiInvariantState> quasi_invariant_;
  const RuntimeQuasiInvariants active_;
  const std::function<double()> calls_;
  const std::chrono::nanoseconds patience_;
  CpuTime cpu_;
  const runtime::StoreCount stores_;
  bool wants_quasi_invariant_ = true;
  const Mark start_;
  std::chrono::steady_clock::time_point last_good_ = start_.time;
  Sums with_, without_;
};

} // namespace sartor

#endif
