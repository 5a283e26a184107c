// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_MIX_H
#define SARTOR_TUNER_CHANGE_DETECTION_MIX_H

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/change_detection/change_test.h"
#include "tuner/change_detection/shape.h"

namespace sartor {

/// Detects that the mix of inputs at the instrumented points has changed.
///
/// Each point's window is compared with the windows before by Pearson's statistic. Sessions and
/// bursts make sightings depend on one another, so the size of the statistic without a change is
/// learned from the windows themselves (batch means, one batch a window): their mean is the number
/// of sightings that are worth one independent sighting, their spread gives the degrees of freedom.
/// The smallest of all points' chances is multiplied by their number (Bonferroni). Two unlike
/// windows in a row are a change. For use by one thread.
class Mix {
public:
  /// Sets the shape that was seen before the first window, while the decision was made. Until the
  /// usual difference between windows is known, only a window wholly unlike this shape is a change.
  void begin_with(Shape shape) { reference_ = std::move(shape); }
  /// Adds the next window; true if the workload has changed since the one before.
  bool changed(const Shape &window);
  /// Distance of the last window from the reference, at the point that moved most clearly.
  [[nodiscard]] double last_distance() const { return last_distance_; }

  /// The usual shape, counted in independent sightings. Empty until it is known.
  [[nodiscard]] Shape usual() const;
  /// The given shape, counted in independent sightings.
  [[nodiscard]] Shape independent(Shape shape) const;

private:
  /// Misfit of a window by degree of freedom; its mean is 1 if sightings are independent.
  struct Misfit {
    double value;
    double freedom;
  };
  /// Misfits of the windows of one point so far.
  struct Usual {
    std::deque<Misfit> windows;
    std::optional<Misfit> odd; ///< Misfit of the last window if it was classified as unlike.

    /// Number of sightings that are worth one independent sighting.
    [[nodiscard]] double spread() const;
    [[nodiscard]] double freedom() const;
    void add(const Misfit &misfit);
  };

  [[nodiscard]] double spread_at(const std::string &label) const;

  Shape reference_;
  std::map<std::string, Usual> usual_; ///< By label.
  ChangeTest unlike_{ChangeTest::twice};
  double last_distance_ = 0;
};

} // namespace sartor

#endif
