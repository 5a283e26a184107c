// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_OBJECTIVE_WINDOW_H
#define SARTOR_EXPLORE_OBJECTIVE_WINDOW_H

#include <functional>
#include <optional>
#include <stop_token>

#include <sartor/objective.hpp>

#include "explore/objective/counter_window.h"

namespace sartor {

/// Looks at the program each time the objective has been read; true ends the window.
using WindowLook = std::function<bool()>;

/// Reads an objective over a window, on the calling thread, which mostly sleeps. Nothing if
/// stopped. Throws only what `objective.read` does. A window in which a counter cannot reach the
/// rate `hopeless_below` any more is cut off; sooner if `step` has by how much the counter moved at
/// a time in windows before, which is put there. A ratio is NaN if what it is by did not move, and
/// so is a percentile without requests. One in which a count became less is over, and says so.
std::optional<Reading> read_window(const Objective &objective, const WindowLength &length,
                                   double hopeless_below, const std::stop_token &stop,
                                   double *step = nullptr, const WindowLook &look = {});

/// A reading as strategies want it, where higher is better and ratios matter: the value itself, or
/// 1/value for an objective that should be low. Such an objective is meant to be positive; zero or
/// less counts as very good indeed.
double score_of(const Objective &objective, double value);
/// The same of a reading; of a weighted objective, the product of the scores, not a number where
/// one was not seen. What a score is by is what the value was of, where that should be low.
Reading score_of(const Objective &objective, Reading reading);

/// Two that follow one another as one, of values or of scores.
Reading merged(Reading one, const Reading &other);

} // namespace sartor

#endif
