// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_ALIKE_H
#define SARTOR_TEST_RUNTIME_HANDLERS_ALIKE_H

#include <cstdint>

/// The first fields are invariant.
struct Meter {
  std::uint64_t step;
  const Meter *next; ///< Null at the end.
  std::uint64_t total;
};

/// Adds the steps of all meters to the total of the first.
std::uint64_t count(Meter *meter, std::uint64_t times);

/// Depends on the address of the object.
std::uint64_t hash_of(const Meter *meter, std::uint64_t seed);

/// Writes to one array element through a pointer to another.
std::uint64_t reach_across(Meter *first, Meter *second, std::int64_t distance);

/// Several of the pointers may be equal.
struct Choice {
  Meter *meters[4];
};
void mark(const Choice *choice, std::uint64_t by);

#endif
