// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

static std::uint32_t find_port(const Table *table, std::uint32_t destination) {
  for (std::uint32_t i = 0; i < table->count; ++i)
    if ((destination & table->routes[i].mask) == table->routes[i].net)
      return table->routes[i].port;
  return 0;
}

SARTOR_HANDLER std::uint32_t forward(const Table *table, std::uint32_t destination) {
  // Calls find_port(), unless the variant remembers the result for this version of the table.
  return 1000 +
         sartor_fast_path_versioned("lookup", &table->version, find_port, table, destination);
}
