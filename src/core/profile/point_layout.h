// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_POINT_LAYOUT_H
#define SARTOR_CORE_PROFILE_POINT_LAYOUT_H

#include <string>

#include <sartor/space.hpp>

#include "core/profile/layout.h"

namespace sartor::core {

/// The layout of the points' counts, in the order of the space.
Layout layout_of(const Space &space);

/// The reason why a point cannot be instrumented; empty if it can.
std::string instrument_problem(const Point &point);

} // namespace sartor::core

#endif
