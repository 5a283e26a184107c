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

/// `x` weighted with a table.
std::uint64_t weigh(const Table *table, std::uint64_t x);

/// A function that a handler calls, so that its caller can act within it.
using Within = void (*)(Table *);

/// The sum of a table's weights; calls `within` in the middle.
std::uint64_t total(Table *table, Within within);

#endif
