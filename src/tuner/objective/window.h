// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_WINDOW_H
#define SARTOR_TUNER_OBJECTIVE_WINDOW_H

#include <functional>
#include <optional>
#include <stop_token>

#include <sartor/objective.hpp>

#include "tuner/objective/counter_window.h"

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

/// A value as strategies compare it, where higher is better: the value itself, or -value if lower
/// is better. It may have any sign; see advantage().
double score_of(const Objective &objective, double value);
/// The same of a reading. The score of a weighted objective is a product of powers, of values or of
/// 1/value; it is not a number if a quantity was not seen. Throws bad_objective if one of its
/// quantities was not positive, as those have no powers.
Reading score_of(const Objective &objective, Reading reading);

/// Two that follow one another as one, of values or of scores.
Reading merged(Reading one, const Reading &other);

} // namespace sartor

#endif
