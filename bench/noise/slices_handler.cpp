// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "slices_handler.h"

#include <sartor/points.h>

#include "../matmul_kernel.h"

namespace sartor::bench {

SARTOR_HANDLER void serve_block(Matrices &matrices, std::uint64_t key, std::size_t block) {
  matrices.a[key % matrices.a.size()] = key;
  blocked_product(matrices.a.data(), matrices.b.data(), matrices.c.data(), kSide,
                  sartor_enum("B", block, 4, 8, 12));
}

} // namespace sartor::bench
