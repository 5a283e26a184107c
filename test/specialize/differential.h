// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_DIFFERENTIAL_H
#define SARTOR_TEST_SPECIALIZE_DIFFERENTIAL_H

#include <cstdint>
#include <random>
#include <string>

#include <sartor/sartor.hpp>

#include "shapes.h"

/// The largest number of values that a point is set to.
enum class Values { one, one_mostly, up_to_three };

/// Runs one handler under `rounds` random configurations, on many inputs, through its handle and
/// its entry function, with an argument bound, and with and without instrumented points. It must
/// behave like `native`: same result, same memory, same side effects in the same order, same
/// exceptions. Returns the number of guard failures.
std::uint64_t expect_same(sartor::Runtime &runtime, const std::string &name, Shape *native,
                          unsigned rounds, Values values);

/// The number of rounds that SARTOR_DIFFERENTIAL_ROUNDS specifies, or `usual`.
unsigned rounds_or(unsigned usual);

#endif
