// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_COMPILES_H
#define SARTOR_TUNER_COMPILES_H

#include <chrono>
#include <functional>
#include <unordered_map>
#include <vector>

#include <sartor/error.hpp>

#include "tuner/persistence/trial_log.h"
#include "tuner/search/compile_order.h"
#include "tuner/variants.h"

namespace sartor {

/// The compilations of an exploration, done and under way. A few run at a time, so that one
/// configuration is compiled while another is tried. For use by one thread; the constructor's
/// arguments must outlive it.
class Compiles {
public:
  Compiles(Variants &variants, TrialLog &trials) : variants_(variants), trials_(trials) {}

  [[nodiscard]] bool knows(const Configuration &configuration) const {
    return usable_.contains(configuration);
  }
  /// True if a known configuration was compiled successfully.
  [[nodiscard]] bool is_usable(const Configuration &configuration) const {
    return usable_.at(configuration);
  }
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool is_idle() const { return making_.empty(); }
  /// Begins to compile a configuration that is not known yet.
  void begin(const Configuration &configuration);
  /// True if a compilation has ended since the last call. Configurations that can be used are added
  /// to `ready`. The durations go to `order`, and failures to the event log.
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
