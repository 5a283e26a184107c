// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HANDLERS_H
#define HANDLERS_H

#include <cstdint>

struct Table {
  std::uint64_t buckets; ///< Grows now and then.
};

/// The bucket of the last of some keys that follow from one another.
std::uint64_t bucket_of(const Table *table, std::uint64_t key);

#endif
