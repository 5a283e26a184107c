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
  uint32_t version; /**< Grows with each change, before and after it. */
};

/** The port of the first route that the destination matches, or 0. */
uint32_t find_port(const struct table *table, uint32_t destination);
/** The same, in a handler that is bound to its table. */
uint32_t forward(struct table *table, uint32_t destination);
/** The same, in a handler that remembers popular destinations. */
uint32_t forward_popular(struct table *table, uint32_t destination);

#endif
