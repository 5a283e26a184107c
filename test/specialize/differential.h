// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_DIFFERENTIAL_H
#define SARTOR_TEST_SPECIALIZE_DIFFERENTIAL_H

#include <cstdint>
#include <random>
#include <string>

#include <sartor/sartor.hpp>

#include "shapes.h"

/// How many values a point is set to at most.
enum class Values { one, one_mostly, up_to_three };

/// Runs one handler under `rounds` random configurations, on many inputs, both through its handle
/// and its entry function, and with an argument bound, with and without points instrumented: it
/// must do what `native` does: same result, same memory, same side effects in the same order, same
/// exceptions. Returns how many guards have failed meanwhile.
std::uint64_t expect_same(sartor::Runtime &runtime, const std::string &name, Shape *native,
                          unsigned rounds, Values values);

/// The number of rounds that SARTOR_DIFFERENTIAL_ROUNDS asks for, or `usual`.
unsigned rounds_or(unsigned usual);

#endif
