// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t power(std::uint64_t value, std::uint32_t exponent,
                                   std::uint64_t modulus) {
  std::uint64_t result = 1;
  for (; exponent; exponent >>= 1U) {
    if (exponent & 1U)
      result = result * value % modulus;
    value = value * value % modulus;
  }
  return result;
}
