// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_ENERGY_H
#define SARTOR_TUNER_OBJECTIVE_ENERGY_H

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace sartor {

/// The energy that all processors have used, for any process, from Linux's powercap counters of
/// their packages (Documentation/power/powercap/powercap.rst). For use by one thread.
class Energy {
public:
  /// Fails with bad_objective if there are no counters, or they cannot be read.
  static Result<Energy> open(const std::filesystem::path &root = "/sys/class/powercap");

  /// In joules, since it was opened. Must be called more often than the counters wrap, which takes
  /// minutes at least. A counter that can no longer be read stands still.
  double joules();

private:
  struct Package {
    std::filesystem::path counter;
    double range; ///< Microjoules at which the counter wraps to zero.
    double last;
  };
  std::vector<Package> packages_;
  double microjoules_ = 0;
};

} // namespace sartor

#endif
