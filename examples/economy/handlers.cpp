// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t bucket_of(const Table *table, std::uint64_t key) {
  for (int i = 0; i < 100; ++i)
    key = key / table->buckets + (key * 0x9e3779b97f4a7c15) % table->buckets;
  return key % table->buckets;
}
