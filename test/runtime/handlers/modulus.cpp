// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "modulus.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t reduced(const Modulus *modulus, std::uint64_t number) {
  for (int i = 0; i < 100; ++i)
    number = (number * 6364136223846793005U + 1) % modulus->by + number / modulus->by;
  return number;
}

SARTOR_HANDLER void within_handler(void (*call)()) { call(); }
