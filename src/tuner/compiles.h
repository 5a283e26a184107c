// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_COMPILES_H
#define SARTOR_TUNER_COMPILES_H

#include <chrono>
#include <functional>
#include <unordered_map>
#include <vector>

#include <sartor/error.hpp>

#include "tuner/keep/trial_log.h"
#include "tuner/search/compile_order.h"
#include "tuner/variants.h"

namespace sartor {

/// What an exploration has compiled, and is compiling: a few at a time, so that there is always one
/// to be compiled while another is tried. For use by one thread; what it is made from must outlive
/// it.
class Compiles {
public:
  Compiles(Variants &variants, TrialLog &trials) : variants_(variants), trials_(trials) {}

  [[nodiscard]] bool knows(const Configuration &configuration) const {
    return usable_.contains(configuration);
  }
  /// Whether it was compiled; of one that it knows.
  [[nodiscard]] bool is_usable(const Configuration &configuration) const {
    return usable_.at(configuration);
  }
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool is_idle() const { return making_.empty(); }
  /// Begins to compile one that it does not know.
  void begin(const Configuration &configuration);
  /// Whether any is done since the last time. Those that can be used are added to `ready`; `order`
  /// is told how long each has taken, and the event log what cannot be had.
  bool take_done(std::vector<Configuration> &ready, CompileOrder &order);

private:
  using Clock = std::chrono::steady_clock;
  struct Making {
    Configuration configuration;
    std::function<bool()> is_done;
    Clock::time_point began;
  };
  void cannot(const Configuration &configuration, const Error &why);

  Variants &variants_;
  TrialLog &trials_;
  std::vector<Making> making_;
  std::unordered_map<Configuration, bool> usable_;
  Clock::time_point last_done_;
};

} // namespace sartor

#endif
