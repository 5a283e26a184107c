// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t touch(std::uint64_t state, std::uint64_t key) {
  return (state ^ key) * 3;
}

} // namespace sartor::bench
