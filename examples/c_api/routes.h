// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTES_H
#define ROUTES_H

#include <stdint.h>

struct route {
  uint32_t net, mask, port;
};

struct table {
  uint64_t lookups; /**< Counted by forward(). */
  const struct route *routes;
  uint32_t count;
  uint32_t version; /**< Incremented before and after each change. */
};

/** Returns the port of the first route that `destination` matches, or 0. */
uint32_t find_port(const struct table *table, uint32_t destination);
/** Does the same as find_port(), as a handler to be bound to a table. */
uint32_t forward(struct table *table, uint32_t destination);
/** Does the same as find_port(), as a handler with a fast path for popular destinations. */
uint32_t forward_popular(struct table *table, uint32_t destination);

#endif
