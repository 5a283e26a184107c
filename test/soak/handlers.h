// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SOAK_HANDLERS_H
#define SARTOR_TEST_SOAK_HANDLERS_H

#include <cstdint>

/// A table that changes while it is used: `checksum` is that of the weights.
struct Table {
  std::uint64_t weights[8];
  std::uint64_t count;
};

/// The sum of the squares up to `n`, in steps of `step`, times `factor`.
std::uint64_t squares(std::uint64_t n, std::uint64_t step, std::uint64_t factor);

/// `x` weighted by what a table has.
std::uint64_t weigh(const Table *table, std::uint64_t x);

/// What a handler may be called with that lets its caller do something.
using Within = void (*)(Table *);

/// The sum of a table's weights, and what `within` does on the way.
std::uint64_t total(Table *table, Within within);

#endif
