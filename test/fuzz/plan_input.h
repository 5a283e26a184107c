// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_PLAN_INPUT_H
#define SARTOR_TEST_FUZZ_PLAN_INPUT_H

#include <cstddef>
#include <span>

#include "front/plan.h"

namespace sartor::front {

/// Reads everything in a plan, as the front does.
std::size_t look_at(const Plan &plan);

/// Corrects the size, the checksum and the magic of a plan.
void seal(std::span<std::byte> plan);

/// Lets the front read an image file with this plan, sealed, and reads everything in it. Returns
/// whether it was accepted.
bool look_at_plan(std::span<const std::byte> plan);

} // namespace sartor::front

#endif
