// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_FIT_H
#define SARTOR_CORE_SPACE_FIT_H

#include <optional>

#include <sartor/space.hpp>

#include "base/result.h"

namespace sartor {

/// A value as a point of this type holds it, so that equal values compare equal: 2 becomes 2.0 at a
/// floating-point point, and 0.1 the nearest float at an f32. bad_value_type (with an empty
/// subject) for what the type cannot hold; NaN is refused, since no guard could ever match it.
Result<Value> fit(const Value &value, const PointType &type);

/// What to say of a label that the space does not have: names the nearest labels.
Failure unknown_label(const std::string &label, const Space &space);

/// Values of one point in its type, each by itself: some points cannot be set to several at once.
/// Fails as Space::check() does.
Result<std::vector<Value>> fit_each(const std::string &label, const std::vector<Value> &values,
                                    const Space &space);

/// A whole configuration in the types of its points. Fails as Space::check() does,
/// without a look at the constraints.
Result<Configuration> fit(const Configuration &configuration, const Space &space);

/// Why setting one of the labels of a fitted configuration would change nothing, if so: no handler
/// reaches it, or it stays generic wherever it stands. point_not_specializable.
std::optional<Failure> check_effect(const Configuration &configuration, const Space &space);

} // namespace sartor

#endif
