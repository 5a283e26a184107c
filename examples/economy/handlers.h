// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HANDLERS_H
#define HANDLERS_H

#include <cstdint>

struct Table {
  std::uint64_t buckets; ///< Grows now and then.
};

/// Derives 100 keys from `key`, each from the one before, and returns the bucket of the last one.
std::uint64_t bucket_of(const Table *table, std::uint64_t key);

#endif
