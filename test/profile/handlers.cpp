// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

std::int64_t some_table[4] = {3, 1, 4, 1};
unsigned version = 1;
int offset = 100;

SARTOR_HANDLER std::int64_t mixed(int mode, std::int8_t level, std::uint64_t key, double scale,
                                  const std::int64_t *table, std::int64_t *cell) {
  const int m = sartor_enum("mode", mode, 1, 2, 8);
  *cell += m;
  const std::int8_t l = sartor_range("level", level, -2, 2);
  const std::uint64_t k = sartor_generic("key", key);
  *cell = static_cast<std::int64_t>((static_cast<std::uint64_t>(*cell) ^ k) * 3U);
  const double s = sartor_generic("scale", scale);
  const std::int64_t *t = sartor_generic("table", table ? table : some_table);
  if (sartor_assume("usual", mode != 8))
    return t[k % 4] + l * m + static_cast<std::int64_t>(s * 8);
  return -t[k % 4] + static_cast<std::int64_t>(s);
}

__attribute__((const, noinline)) static int square(int a, unsigned b) {
  return static_cast<int>(static_cast<unsigned>(a) * static_cast<unsigned>(a) + b);
}

SARTOR_HANDLER int calls(int a, unsigned b, std::int64_t *cell) {
  ++*cell;
  const auto wide = sartor_generic("wide", static_cast<__int128>(a));
  return sartor_fast_path("square", square, a, b) + static_cast<int>(wide);
}

__attribute__((pure, noinline)) static int add_offset(int a) { return a + offset; }

SARTOR_HANDLER int versioned(int a) {
  return sartor_fast_path_versioned("versioned", &version, add_offset, a);
}

SARTOR_HANDLER std::uint64_t sum_items(const std::uint64_t *items, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    sum = sum * 31 + sartor_generic("item", items[i]);
  return sum;
}
