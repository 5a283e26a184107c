// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rounds.h"

#include <sartor/points.h>

SARTOR_HANDLER uint64_t mix(uint64_t number, unsigned rounds) {
  const unsigned count = sartor_range("rounds", rounds, 1, 64);
  for (unsigned i = 0; i < count; ++i) {
    number ^= number >> (i % 31 + 1);
    number *= 0x9e3779b97f4a7c15 + 2 * i;
  }
  return number;
}
