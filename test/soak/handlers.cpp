// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t squares(std::uint64_t n, std::uint64_t step, std::uint64_t factor) {
  const std::uint64_t stride = sartor_enum("step", step, 1, 2, 3, 5);
  const std::uint64_t times = sartor_generic("factor", factor);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < sartor_range("n", n, 0, 64); i += stride)
    sum += i * i * times;
  return sum;
}

SARTOR_HANDLER std::uint64_t total(Table *table, Within within) {
  const std::uint64_t count = table->count;
  if (within)
    within(table);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    sum += table->weights[i];
  return sum;
}

SARTOR_HANDLER std::uint64_t weigh(const Table *table, std::uint64_t x) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < table->count; ++i)
    sum += table->weights[i] * (x + i);
  return sartor_assume("few", table->count < 8) ? sum : sum + 1;
}
