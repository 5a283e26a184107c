// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "limits_handlers.h"

#include <utility>

#include <sartor/points.h>

/// A loop that is unrolled completely once the number of its rounds is known.
template <unsigned kStage>
[[gnu::always_inline]] static inline unsigned long stage(unsigned long x, long rounds) {
#pragma clang loop unroll(full)
  for (long i = 0; i < rounds; ++i)
    x = (x ^ (x >> (kStage + 1))) * (2 * static_cast<unsigned long>(i) + kStage + 3);
  return x;
}

template <unsigned... kStages>
[[gnu::always_inline]] static inline unsigned long
stages(unsigned long x, long rounds, std::integer_sequence<unsigned, kStages...> /*all*/) {
  ((x = stage<kStages>(x, rounds)), ...);
  return x;
}

SARTOR_HANDLER unsigned long scrambled(unsigned long x, long n) {
  return stages(x, sartor_generic("rounds", n), std::make_integer_sequence<unsigned, 16>());
}
