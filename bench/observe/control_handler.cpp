// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "control_handler.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t hashed(std::uint64_t x, unsigned rounds) {
  const unsigned count = sartor_generic("rounds", rounds);
  for (unsigned i = 0; i < count; ++i)
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
  return x;
}
