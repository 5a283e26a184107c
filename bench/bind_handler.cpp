// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind_handler.h"

#include <iterator>

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t keyed_hash(std::uint64_t key, std::uint64_t word, unsigned rounds) {
  std::uint64_t hash = word;
  for (unsigned round = 0; round < rounds; ++round)
    hash = (hash ^ key) * 0x9E3779B97F4A7C15 + round;
  return hash;
}

SARTOR_HANDLER unsigned look_up(Table *table, unsigned key) {
  ++table->lookups;
  for (const Node *node = table->buckets[key % std::size(table->buckets)]; node; node = node->next)
    if (node->key == key)
      return node->value;
  return 0;
}

} // namespace sartor::bench
