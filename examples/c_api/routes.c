// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "routes.h"

#include <sartor/points.h>

uint32_t find_port(const struct table *table, uint32_t destination) {
  for (uint32_t i = 0; i < table->count; ++i)
    if ((destination & table->routes[i].mask) == table->routes[i].net)
      return table->routes[i].port;
  return 0;
}

SARTOR_HANDLER uint32_t forward(struct table *table, uint32_t destination) {
  ++table->lookups;
  return find_port(table, destination);
}

SARTOR_HANDLER uint32_t forward_popular(struct table *table, uint32_t destination) {
  return sartor_fast_path_versioned("lookup", &table->version, find_port, table, destination);
}
