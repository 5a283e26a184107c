// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_KEEP_MEMORY_H
#define SARTOR_TUNER_KEEP_MEMORY_H

#include <cstddef>
#include <list>
#include <optional>

#include <sartor/configuration.hpp>

#include "tuner/watch/signature.h"

namespace sartor {

/// What was the best for a workload.
struct Winner {
  Signature signature;
  Configuration configuration;
};

/// Which configuration was the best for which workload. The least recently used is forgotten when
/// there are too many. For use by one thread.
class WinnerMemory {
public:
  explicit WinnerMemory(std::size_t most) : most_(most) {}

  /// Takes the place of what was remembered for the same workload. A signature that says nothing is
  /// not remembered.
  void remember(const Signature &signature, const Configuration &winner);
  /// The winner of the workload that is most alike, if it is the same.
  std::optional<Configuration> recall(const Signature &signature);

  [[nodiscard]] std::size_t size() const noexcept { return winners_.size(); }

private:
  /// Moves the one that is most alike to the front; false if none is of the same workload.
  bool bring_forward(const Signature &signature);

  const std::size_t most_;
  std::list<Winner> winners_; ///< Last used first.
};

} // namespace sartor

#endif
