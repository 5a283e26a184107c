// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PROFILE_HANDLERS_H
#define SARTOR_TEST_PROFILE_HANDLERS_H

#include <cstdint>

/// Points: "mode" (enum 1, 2, 8), "level" (range -2 to 2), "key" (generic u64), "scale" (generic
/// double), "usual" (assume mode != 8), "table" (generic pointer). Writes to *cell between them.
std::int64_t mixed(int mode, std::int8_t level, std::uint64_t key, double scale,
                   const std::int64_t *table, std::int64_t *cell);
extern std::int64_t some_table[4];

/// A fast path "square" around a pure function of two arguments, and a point "wide" of 128 bits.
int calls(int a, unsigned b, std::int64_t *cell);
/// A versioned fast path "versioned".
int versioned(int a);
extern unsigned version;
extern int offset;

/// Sums the generic point "item" in a loop.
std::uint64_t sum_items(const std::uint64_t *items, std::uint64_t count);

#endif
