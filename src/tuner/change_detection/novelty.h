// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_NOVELTY_H
#define SARTOR_TUNER_CHANGE_DETECTION_NOVELTY_H

#include <map>
#include <string>
#include <utility>

#include "tuner/change_detection/change_test.h"
#include "tuner/change_detection/shape.h"

namespace sartor {

/// Detects quickly that a point sees mostly new inputs. It needs no knowledge of how windows
/// usually differ, because inputs that alternate have been seen before. A point that always sees
/// new inputs, such as keys drawn from millions, is ignored. For use by one thread.
class Novelty {
public:
  /// `seen` is the shape that was seen before the first look, while the decision was made.
  explicit Novelty(Shape seen) : seen_(std::move(seen)) {}

  /// Adds the next look; true if most inputs were new twice in a row, at one point at least. The
  /// looks at a point that is passed seldom are put together until they say something.
  bool found(const Shape &look);
  /// Share of new inputs in the last look, at the point where it was largest.
  [[nodiscard]] double share() const { return share_; }

private:
  struct AtPoint {
    int calm = 0; ///< Consecutive looks without new inputs.
    ChangeTest is_new{ChangeTest::twice};
  };

  Shape seen_;
  Shape few_; ///< Looks at points with too few sightings so far.
  std::map<std::string, AtPoint> points_;
  double share_ = 0;
};

} // namespace sartor

#endif
