// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER_DIRECT std::uint64_t dot(const std::uint64_t *a, const std::uint64_t *b,
                                        unsigned count, unsigned more) {
  const unsigned known_count = sartor_generic("auto.dot.count", count);
  const unsigned known_more = sartor_generic("auto.dot.more", more);
  std::uint64_t weight = 1;
  for (int i = 0; i < 16; ++i)
    weight = (weight * 31 + known_count) % (1000 + known_more);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < known_count; ++i)
    sum += a[i] * b[i];
  return sum * weight;
}

SARTOR_HANDLER_DIRECT std::uint64_t mixed(std::uint64_t value) {
  const std::uint64_t known = sartor_generic("auto.mixed.value", value);
  std::uint64_t mixed = known;
  for (int i = 0; i < 20; ++i)
    mixed = (mixed ^ (mixed >> 7)) * 0x9e37'79b9'7f4a'7c15;
  return mixed;
}

SARTOR_HANDLER_DIRECT std::uint64_t seldom(unsigned value) {
  return sartor_generic("auto.seldom.value", value) * 3ULL;
}

SARTOR_HANDLER_DIRECT std::uint64_t own(unsigned value) {
  return sartor_generic("own.value", value) * 5ULL;
}
