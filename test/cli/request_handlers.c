/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "request_handlers.h"

#include <sartor/points.h>

static unsigned matches(const struct Rule *rule, unsigned address) {
  return (address & rule->mask) == rule->net;
}

SARTOR_HANDLER unsigned forward(const struct Table *table, unsigned address,
                                const unsigned *ignored) {
  (void)ignored;
  for (unsigned i = 0; i < table->count; ++i)
    if (matches(&table->rules[i], address))
      return table->rules[i].port;
  return 0;
}

SARTOR_FOLD __attribute__((noinline)) unsigned scale(const struct Table *table) {
  return table->count > 2 ? 10 : 100;
}

SARTOR_HANDLER unsigned scaled(const struct Table *table, unsigned number) {
  return number * scale(table);
}
