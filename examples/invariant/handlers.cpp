// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint32_t filter(Connection *connection, std::uint32_t address) {
  ++connection->packets;
  for (std::uint32_t i = 0; i < connection->rule_count; ++i) {
    const Rule &rule = connection->rules[i];
    if ((address & rule.mask) == rule.net)
      return rule.verdict;
  }
  return 0;
}
