// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "template_handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::int64_t of_words(const std::int64_t *values, std::size_t count,
                                     std::int64_t scale, std::int64_t offset) {
  std::uint64_t sum = 0;
  const auto by = static_cast<std::uint64_t>(sartor_generic("scale", scale));
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<std::uint64_t>(values[i]) * by ^ sum >> 7;
  return static_cast<std::int64_t>(sum +
                                   static_cast<std::uint64_t>(sartor_generic("offset", offset)));
}

SARTOR_HANDLER std::uint32_t of_narrow_ones(std::uint32_t x, std::uint8_t mask,
                                            std::int16_t shift_in, std::uint32_t seed) {
  const std::uint32_t masked = x & sartor_generic("mask", mask);
  const auto added =
      static_cast<std::uint32_t>(static_cast<std::int32_t>(sartor_generic("shift_in", shift_in)));
  return (masked | x << 8) + added * x ^ sartor_enum("seed", seed, 0U, 7U, 0xffffffffU);
}

SARTOR_HANDLER double of_reals(double x, double factor, float term) {
  return x * sartor_generic("factor", factor) + static_cast<double>(sartor_generic("term", term));
}

SARTOR_HANDLER std::int64_t of_others(const std::int64_t *values, std::int64_t x,
                                      std::int64_t count, std::int64_t divisor, unsigned places,
                                      std::int64_t index, bool is_odd) {
  std::int64_t sum = values[sartor_generic("index", index)];
  for (std::int64_t i = 0; i < sartor_generic("count", count); ++i)
    sum ^= i;
  sum += x / sartor_generic("divisor", divisor);
  sum ^=
      static_cast<std::int64_t>(static_cast<std::uint64_t>(x) >> sartor_generic("places", places));
  return sartor_assume("is_odd", is_odd) ? sum | 1 : sum;
}
