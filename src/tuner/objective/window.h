// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_WINDOW_H
#define SARTOR_TUNER_OBJECTIVE_WINDOW_H

#include <functional>
#include <optional>
#include <stop_token>

#include <sartor/objective.hpp>

#include "tuner/objective/counter_window.h"

namespace sartor {

/// Called each time the objective has been read, to look at the program; true ends the window.
using WindowLook = std::function<bool()>;

/// Reads an objective over a window, on the calling thread, which mostly sleeps. Nothing if
/// stopped. Throws only what `objective.read` throws. A window in which a counter can no longer
/// reach the rate `hopeless_below` is cut off. This happens sooner if `step` has the counter's step
/// size from earlier windows, which is updated. A ratio is NaN if its denominator did not move, and
/// so is a percentile without requests. A window in which a count decreased ends, and is marked.
std::optional<ObjectiveSample> read_window(const Objective &objective, const WindowLength &length,
                                           double hopeless_below, const std::stop_token &stop,
                                           double *step = nullptr, const WindowLook &look = {});

/// A value as strategies compare it, where higher is better: the value itself, or -value if lower
/// is better. It may have any sign; see advantage().
double score_of(const Objective &objective, double value);
/// The same for a sample. The score of a weighted objective is a product of powers, of values or of
/// 1/value; it is NaN if a quantity was not seen. Throws bad_objective if one of its quantities was
/// not positive, as those have no powers.
ObjectiveSample score_of(const Objective &objective, ObjectiveSample measured);

/// Combines two consecutive samples, of values or of scores, into one.
ObjectiveSample merged(ObjectiveSample one, const ObjectiveSample &other);

} // namespace sartor

#endif
