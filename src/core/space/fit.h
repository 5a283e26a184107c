// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_FIT_H
#define SARTOR_CORE_SPACE_FIT_H

#include <optional>

#include <sartor/space.hpp>

#include "base/result.h"

namespace sartor {

/// Converts a value to a point's type, so that equal values compare equal: 2 becomes 2.0 at a
/// floating-point point, and 0.1 the nearest float at an f32. bad_value_type (with an empty
/// subject) for a value that the type cannot represent; NaN is refused, since no guard could match
/// it.
Result<Value> fit(const Value &value, const PointType &type);

/// The error for a label that the space does not have: names the nearest labels.
Failure unknown_label(const std::string &label, const Space &space);

/// Converts each value to the type of a point separately: some points cannot be set to several at
/// once. Fails with the errors of Space::check().
Result<std::vector<Value>> fit_each(const std::string &label, const std::vector<Value> &values,
                                    const Space &space);

/// Converts a whole configuration to the types of its points. Fails with the errors of
/// Space::check(), without checking the constraints.
Result<Configuration> fit(const Configuration &configuration, const Space &space);

/// Fails if setting one of the labels of a fitted configuration would have no effect: no handler
/// reaches it, or all its points stay generic. point_not_specializable.
std::optional<Failure> check_effect(const Configuration &configuration, const Space &space);

} // namespace sartor

#endif
