// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hour_handler.h"

#include <sartor/points.h>

#include "../matmul_kernel.h"

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t serve(Bench &bench, std::size_t kind, std::uint64_t key,
                                   std::size_t block) {
  blocked_product(bench.a.data(), bench.b.data(), bench.c.data(), kSide,
                  sartor_enum("B", block, 4, 8, 16));
  const std::size_t lookups = 200 + 20 * sartor_range("kind", kind, 0, 7);
  for (std::size_t i = 0; i < lookups; ++i)
    key = (key ^ bench.table[key % kTableSize]) * 0x9e3779b97f4a7c15U + i;
  return key ^ bench.c[key % bench.c.size()];
}

} // namespace sartor::bench
