/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Handlers for machines of other architectures; the kinds of references in their code differ by
 * architecture. */
#include "handlers.h"

#include <string.h>

#include <sartor/points.h>

SARTOR_HANDLER int64_t sums(int64_t a, int64_t b) {
  const int64_t count = sartor_generic("count", a);
  const int64_t step = sartor_enum("step", b, (int64_t)1, (int64_t)2, (int64_t)3);
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i += step > 0 ? step : 1)
    sum = (int64_t)((uint64_t)sum + (uint64_t)i * (uint64_t)(int64_t)weights[i & 7]);
  ++calls_seen;
  return sum;
}

SARTOR_HANDLER int64_t divisions(int64_t a, int64_t b) {
  const int64_t divisor = sartor_generic("divisor", b);
  return divisor == 0 ? -1 : a / divisor + (int64_t)((uint64_t)a % (uint64_t)divisor) * 3;
}

SARTOR_HANDLER int64_t reals(int64_t a, int64_t b) {
  const double scale = sartor_generic("scale", (double)b);
  double sum = 0;
  for (int64_t i = 0; i < (a & 15); ++i)
    sum += outside_real((double)i * scale) / 3.0;
  return (int64_t)(sum * 1000.0);
}

SARTOR_HANDLER int64_t choices(int64_t a, int64_t b) {
  switch (sartor_range("way", (int)(b & 7), 0, 7)) {
  case 0:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case 1:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case 2:
    return outside(a, b);
  case 3:
    return outside(outside(b, a), a);
  case 4:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case 5:
    return (int64_t)((uint64_t)a << (b & 31));
  default:
    return weights[a & 7];
  }
}

SARTOR_HANDLER int64_t copies(int64_t a, int64_t b) {
  unsigned char from[64];
  unsigned char to[64] = {0};
  const size_t size = sartor_generic("size", (size_t)(b & 63));
  for (unsigned i = 0; i < sizeof from; ++i)
    from[i] = (unsigned char)(a >> (i & 31));
  memcpy(to, from, size);
  int64_t sum = 0;
  for (unsigned i = 0; i < sizeof to; ++i)
    sum = (int64_t)((uint64_t)sum * 31 + to[i]);
  return sum;
}

SARTOR_HANDLER int64_t narrow(int64_t a, int64_t b) {
  const uint8_t low = sartor_generic("low", (uint8_t)a);
  const int16_t high = sartor_generic("high", (int16_t)b);
  const uint32_t mixed = (uint32_t)low * 0x01010101u;
  return (int64_t)((uint64_t)mixed << 16) ^ (int64_t)high ^ ((uint8_t)(low + 1) > low ? 5 : 7);
}

SARTOR_HANDLER int64_t hidden(int64_t a, int64_t b) {
  const int64_t added = sartor_generic("surplus", b);
  if (a > hidden_limit)
    give_up(b);
  return (int64_t)((uint64_t)hidden_limit - (uint64_t)a + (uint64_t)added);
}

SARTOR_FOLD int32_t weight_of(const struct rule *rule, int32_t scale) {
  return (int32_t)(rule->to - rule->from) * scale;
}

/* At most one rule fits a key. The calls of weight_of() do not depend on the key, so they are
 * made when the variant is compiled. */
SARTOR_HANDLER int64_t verdict(const struct rule *rules, int64_t key) {
  int64_t found = sartor_generic("otherwise", (int64_t)-1);
  for (const struct rule *rule = rules; rule; rule = rule->next) {
    const int32_t weight = weight_of(rule, 3);
    if ((uint64_t)key - rule->from <= rule->to - rule->from)
      found = rule->verdict + weight;
  }
  return found;
}
