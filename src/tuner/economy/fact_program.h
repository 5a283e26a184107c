// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_ECONOMY_FACT_PROGRAM_H
#define SARTOR_TUNER_ECONOMY_FACT_PROGRAM_H

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/stores.h"
#include "runtime/facts_in_force.h"
#include "tuner/measure/window_meter.h"
#include "tuner/objective/cpu_time.h"

namespace sartor {

/// A program whose "configurations" are that a fact is in force, and that it is not. A window in
/// which the program has broken the fact is read anew. For use by one thread; what it is made from
/// must outlive it. When it goes, the fact may hold again.
class FactProgram final : public MeasuredProgram {
public:
  /// There was no window for so long in which the fact stayed as it was.
  class Restless : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
  };

  /// What the program does in a second.
  struct Doing {
    double calls = 0;
    double processors = 0;
    double asked = 0;
  };
  enum class Kind : unsigned char { with, without };

  /// `windows` reads them. `calls` counts, or is empty.
  FactProgram(MeasuredProgram &windows, std::shared_ptr<runtime::Fact> fact, const Runtime &runtime,
              std::function<double()> calls, std::chrono::nanoseconds patience);
  ~FactProgram() override;
  FactProgram(const FactProgram &) = delete;
  FactProgram &operator=(const FactProgram &) = delete;

  static Configuration with() { return {}; }
  static Configuration without() { return {{"fact", 0}}; }

  void put_in_force(const Configuration &configuration) override;
  /// Throws Restless, and bad_invariant if the fact is destroyed.
  std::optional<Reading> read_slice(std::chrono::nanoseconds at_least, double hopeless_below,
                                    const std::stop_token &stop) override;
  std::optional<Reading> rest(std::chrono::nanoseconds long_enough,
                              const std::stop_token &stop) override;

  /// In windows of this kind; where there were none, in all of the time.
  [[nodiscard]] Doing doing(Kind kind);

private:
  struct Mark {
    std::chrono::steady_clock::time_point time;
    double calls;
    double processors;
    double asked;
    double making; ///< Variants that lean on the fact.
    std::uint64_t broken;
  };
  struct Sums {
    double seconds = 0;
    Doing all;
    void add(const Mark &before, const Mark &after);
  };
  bool try_once();
  bool establish(const std::stop_token &stop);
  [[nodiscard]] bool is_as_wanted(std::uint64_t broken_before) const;
  [[nodiscard]] Mark mark();
  [[nodiscard]] const char *what_is_wrong() const;

  MeasuredProgram &windows_;
  const std::shared_ptr<runtime::Fact> fact_;
  const RuntimeFacts in_force_;
  const std::function<double()> calls_;
  const std::chrono::nanoseconds patience_;
  CpuTime cpu_;
  const runtime::StoreCount stores_;
  bool wants_fact_ = true;
  const Mark start_;
  std::chrono::steady_clock::time_point last_good_ = start_.time;
  Sums with_, without_;
};

} // namespace sartor

#endif
