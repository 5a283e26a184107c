/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "forward.h"

#include <sartor/points.h>

static uint16_t port_of(const struct Rule *rules, size_t count, uint32_t address) {
  for (size_t i = 0; i < count; ++i)
    if ((address & rules[i].mask) == rules[i].network)
      return rules[i].port;
  return 0;
}

SARTOR_HANDLER void forward_in_c(const struct Rule *rules, size_t rule_count,
                                 const uint32_t *addresses, size_t address_count, uint16_t *ports) {
  for (size_t i = 0; i < address_count; ++i)
    ports[i] = port_of(rules, rule_count, addresses[i]);
}
