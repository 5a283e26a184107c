// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t step(std::uint64_t state, std::uint64_t key) {
  return (state ^ (state >> 7)) * sartor_generic("K", key) + 1;
}

} // namespace sartor::bench
