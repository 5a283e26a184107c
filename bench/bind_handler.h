// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_BIND_HANDLER_H
#define SARTOR_BENCH_BIND_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// Hashes a word with a connection's key.
std::uint64_t keyed_hash(std::uint64_t key, std::uint64_t word, unsigned rounds);

/// A hash table of many nodes.
struct Node {
  Node *next;
  unsigned key;
  unsigned value;
};
struct Table {
  std::uint64_t lookups; ///< Counted by look_up().
  Node *buckets[1U << 14U];
};

/// Returns the value of a key, or 0.
unsigned look_up(Table *table, unsigned key);

} // namespace sartor::bench

#endif
