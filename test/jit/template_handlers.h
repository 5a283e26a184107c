// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_JIT_TEMPLATE_HANDLERS_H
#define SARTOR_TEST_JIT_TEMPLATE_HANDLERS_H

#include <cstddef>
#include <cstdint>

extern "C" {
std::int64_t of_words(const std::int64_t *values, std::size_t count, std::int64_t scale,
                      std::int64_t offset);
std::uint32_t of_narrow_ones(std::uint32_t x, std::uint8_t mask, std::int16_t shift_in,
                             std::uint32_t seed);
double of_reals(double x, double factor, float term);
std::int64_t of_others(const std::int64_t *values, std::int64_t x, std::int64_t count,
                       std::int64_t divisor, unsigned places, std::int64_t index, bool is_odd);
}

#endif
