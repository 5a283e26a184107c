// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <csetjmp>

#include <sartor/points.h>

namespace {
std::jmp_buf place;
}

SARTOR_HANDLER void scale_rows(std::uint32_t *rows, int row_count, int columns, int mode) {
  const int width = sartor_enum("columns", columns, 4, 8, 16);
  for (int row = 0; row < row_count; ++row)
    for (int column = 0; column < width; ++column) {
      std::uint32_t &cell = rows[row * width + column];
      switch (sartor_range("mode", mode, 0, 3)) {
      case 0:
        cell *= 3;
        break;
      case 1:
        cell += 7;
        break;
      default:
        cell ^= cell >> 5;
      }
    }
}

[[gnu::noinline]] int offset(int step) { return sartor_generic("step", step) + 1; }

SARTOR_HANDLER int doubled(int value, int step) {
  const bool is_small = sartor_assume("small", value < 100);
  sartor_generic("ignored", step);
  sartor_assert_const(is_small ? 2 : step);
  return is_small ? value * 2 : value + offset(step);
}

SARTOR_HANDLER int low_bits(unsigned long number) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<int>(sartor_generic("wide", Wide{number} * number));
}

SARTOR_HANDLER int retried(int limit) {
  const int attempts = setjmp(place);
  return attempts < sartor_generic("limit", limit) ? attempts : limit;
}
