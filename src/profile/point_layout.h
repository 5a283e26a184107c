// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PROFILE_POINT_LAYOUT_H
#define SARTOR_PROFILE_POINT_LAYOUT_H

#include <string>

#include <sartor/space.hpp>

#include "profile/layout.h"

namespace sartor::profile {

/// How points are counted, in the order of the space.
Layout layout_of(const Space &space);

/// Why a point cannot be instrumented; empty where it can.
std::string instrument_problem(const Point &point);

} // namespace sartor::profile

#endif
