// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_PLAN_INPUT_H
#define SARTOR_TEST_FUZZ_PLAN_INPUT_H

#include <cstddef>
#include <span>

#include "front/plan.h"

namespace sartor::front {

/// Looks at all that a plan gives out, as the front does.
std::size_t look_at(const Plan &plan);

/// Makes size and checksum of a plan right again, and whether it is one.
void seal(std::span<std::byte> plan);

/// Has the front read an image file that has this plan, sealed, and looks at all in it. Returns
/// whether it was accepted.
bool look_at_plan(std::span<const std::byte> plan);

} // namespace sartor::front

#endif
