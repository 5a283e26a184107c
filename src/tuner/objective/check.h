// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_CHECK_H
#define SARTOR_TUNER_OBJECTIVE_CHECK_H

#include <span>
#include <string>

#include <sartor/objective.hpp>

#include "base/result.h"

namespace sartor {

/// Whether an objective has all that it is read by, and the next. Fails with bad_objective.
Result<void> check(const Objective &objective);

/// Whether an objective's percentile and bounds can be read and mean something; reads the
/// histograms once. Fails with bad_objective, whose subject is the quantity's name. Throws what
/// they do.
Result<void> check_quantities(const Objective &objective);

/// Whether a weighted objective can be made of these. Fails with bad_objective.
Result<void> check_members(std::span<const Weighted> members);

/// Whether its scores are -value, of any sign; see score_of().
bool has_negated_scores(const Objective &objective);

/// Its name and its bounds: trials of two objectives can be compared only if these are the same.
std::string description_of(const Objective &objective);

} // namespace sartor

#endif
