// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_ALIKE_H
#define SARTOR_TEST_RUNTIME_HANDLERS_ALIKE_H

#include <cstdint>

/// What is promised of it comes first.
struct Meter {
  std::uint64_t step;
  const Meter *next; ///< Null at the end.
  std::uint64_t total;
};

/// Adds to the first one's total by the steps of all.
std::uint64_t count(Meter *meter, std::uint64_t times);

/// Hangs on where it lies.
std::uint64_t hash_of(const Meter *meter, std::uint64_t seed);

/// Writes to one of an array by way of another.
std::uint64_t reach_across(Meter *first, Meter *second, std::int64_t distance);

/// Some of these may be the same.
struct Choice {
  Meter *meters[4];
};
void mark(const Choice *choice, std::uint64_t by);

#endif
