// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_NOVELTY_H
#define SARTOR_TUNER_WATCH_NOVELTY_H

#include <map>
#include <string>
#include <utility>

#include "tuner/watch/shape.h"

namespace sartor {

/// Tells soon when a point sees mostly what it has not seen before, without knowing how one stretch
/// of time differs from the next: what comes in turns has been seen. Points at which there is
/// always something new, as where keys are drawn from millions, tell nothing. For use by one
/// thread.
class Novelty {
public:
  /// What was seen before the first look, while the decision was made.
  explicit Novelty(Shape seen) : seen_(std::move(seen)) {}

  /// Takes the next look; true if most was new twice in a row, at one point at least.
  bool found(const Shape &look);
  /// The share of what was new at the last look, at the point where that was most.
  [[nodiscard]] double share() const { return share_; }

private:
  Shape seen_;
  std::map<std::string, int> calm_; ///< Looks without news, by label.
  double share_ = 0;
  bool was_new_ = false;
};

} // namespace sartor

#endif
