// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions as sartor-cc -fsartor-auto makes them of unmarked ones: called directly, with a generic
// point for each scalar parameter.
#ifndef SARTOR_TEST_EXPLORE_AUTOMATIC_HANDLERS_H
#define SARTOR_TEST_EXPLORE_AUTOMATIC_HANDLERS_H

#include <cstdint>

/// The sum of `count` products times a weight, which takes long to compute and depends on `count`
/// and `more` only.
std::uint64_t dot(const std::uint64_t *a, const std::uint64_t *b, unsigned count, unsigned more);
/// Its argument differs from call to call.
std::uint64_t mixed(std::uint64_t value);
/// Its point is the program's own.
std::uint64_t own(unsigned value);
/// Is called a few times only.
std::uint64_t seldom(unsigned value);

#endif
