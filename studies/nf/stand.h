// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_STAND_H
#define SARTOR_STUDY_NF_STAND_H

#include <cstdint>
#include <optional>

#include <sartor/sartor.hpp>

#include "lab.h"
#include "service.h"
#include "traffic.h"
#include "tuning.h"

namespace nf {

/// A function in the lab with its example configuration and traffic whose flows are all known. One
/// instance per function at a time. Belongs to one thread.
class Stand {
public:
  static constexpr std::uint32_t flows = 16'384;

  /// All arguments must outlive it.
  Stand(Lab &lab, sartor::Runtime &runtime, const Function &function,
        Popularity popularity = Popularity::zipf);

  /// Processes one filling of a side's packets with the active variant, or with native code (which
  /// reads `batch` packets at once). Returns nanoseconds per packet.
  double specialized(NfSide side);
  double native(NfSide side, std::uint32_t batch);

  /// Profiles the inputs for fast paths with packets of both sides.
  void learn();
  /// Processes packets of a side while the explorer decides. Calls `each` after each filling; stops
  /// when that returns false.
  std::optional<sartor::Decision>
  explore(NfSide side, Tuning &tuning, const std::function<bool()> &each = [] { return true; });

  [[nodiscard]] const Work &work() const { return work_; }
  [[nodiscard]] const Function &function() const { return function_; }

private:
  double through(NfSide side, Loop &loop);

  Lab &lab_;
  sartor::Runtime &runtime_;
  const Function &function_;
  Service service_;
  Traffic traffic_;
  Work work_;
  Loop specialized_;
  Loop native_;
  std::uint32_t batch_; ///< The program's default.
};

} // namespace nf

#endif
