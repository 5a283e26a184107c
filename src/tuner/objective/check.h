// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_CHECK_H
#define SARTOR_TUNER_OBJECTIVE_CHECK_H

#include <span>
#include <string>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

#include "base/result.h"

namespace sartor {

/// Checks that an objective has all functions that it is read by, and the same for its members.
/// Fails with bad_objective.
Result<void> check(const Objective &objective);

/// Checks that an objective's percentile and bounds can be read and are meaningful; reads the
/// histograms once. Fails with bad_objective, whose subject is the quantity's name. Throws what the
/// objective's functions throw.
Result<void> check_quantities(const Objective &objective);

/// Checks that a weighted objective can be made of these. Fails with bad_objective.
Result<void> check_members(std::span<const Weighted> members);

/// True if its scores are -value, of any sign; see score_of().
bool has_negated_scores(const Objective &objective);

/// True if a trial, which may come from a file, has the form of an objective's trials: buckets that
/// its histograms have, and all quantities and bounds.
bool is_trial_of(const Objective &objective, const Trial &trial);

/// Name and bounds of an objective: trials of two objectives can be compared only if these are the
/// same.
std::string description_of(const Objective &objective);

} // namespace sartor

#endif
