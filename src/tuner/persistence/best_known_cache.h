// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PERSISTENCE_BEST_KNOWN_CACHE_H
#define SARTOR_TUNER_PERSISTENCE_BEST_KNOWN_CACHE_H

#include <cstddef>
#include <list>
#include <optional>

#include <sartor/configuration.hpp>

#include "tuner/change_detection/signature.h"

namespace sartor {

/// The best configuration for a workload.
struct BestKnown {
  Signature signature;
  Configuration configuration;
};

/// Maps workloads to their best configurations. The least recently used is dropped if there are too
/// many. For use by one thread.
class BestKnownCache {
public:
  explicit BestKnownCache(std::size_t most) : most_(most) {}

  /// Replaces the configuration of the same workload. An empty signature is not remembered.
  void remember(const Signature &signature, const Configuration &best);
  /// The configuration of the most similar workload, if it is the same one.
  std::optional<Configuration> recall(const Signature &signature);

  [[nodiscard]] std::size_t size() const noexcept { return best_known_.size(); }

private:
  /// Moves the most similar workload to the front; false if none is the same.
  bool bring_forward(const Signature &signature);

  const std::size_t most_;
  std::list<BestKnown> best_known_; ///< Last used first.
};

} // namespace sartor

#endif
