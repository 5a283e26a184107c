// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_MIX_H
#define SARTOR_TUNER_WATCH_MIX_H

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/watch/shape.h"

namespace sartor {

/// Tells when what comes by at the instrumented points is mixed otherwise than before.
///
/// Each point's window is held against the windows before by Pearson's statistic. How large that is
/// while nothing changes, where sessions and bursts make sightings depend on one another, is learnt
/// from the windows themselves (batch means, one batch a window): their mean says how many
/// sightings are worth one independent one, their spread how many degrees of freedom there are. The
/// smallest of all points' chances is multiplied by their number (Bonferroni). Two unlike windows
/// in a row are a change. For use by one thread.
class Mix {
public:
  /// What was seen before the first window, while the decision was made. Until it is known how
  /// windows differ, only what is wholly unlike this is a change.
  void begin_with(Shape shape) { reference_ = std::move(shape); }
  /// Takes the next window; true if the workload is another since the one before.
  bool changed(const Shape &window);
  /// How far the last one was from the reference, at the point that moved most clearly.
  [[nodiscard]] double last_distance() const { return last_distance_; }

  /// What is usual, counted in independent sightings. Empty before that is known.
  [[nodiscard]] Shape usual() const;
  /// The same shape, counted in independent sightings.
  [[nodiscard]] Shape independent(Shape shape) const;

private:
  /// Of a window, over the degrees of freedom; what one is on average if sightings do not depend on
  /// one another.
  struct Misfit {
    double value;
    double freedom;
  };
  /// What is known of a point's misfits.
  struct Usual {
    std::deque<Misfit> windows;
    std::optional<Misfit> odd; ///< Of the last window, if it was called unlike.

    /// How many sightings are worth one.
    [[nodiscard]] double spread() const;
    [[nodiscard]] double freedom() const;
    void add(const Misfit &misfit);
  };

  [[nodiscard]] double spread_at(const std::string &label) const;

  Shape reference_;
  std::map<std::string, Usual> usual_; ///< By label.
  bool was_unlike_ = false;
  double last_distance_ = 0;
};

} // namespace sartor

#endif
