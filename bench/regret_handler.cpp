// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "regret_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t turn(std::uint64_t wheel, std::uint64_t variant,
                                  const std::uint32_t *turns) {
  const std::uint32_t count = turns[sartor_range("variant", variant, 0, kMostVariants - 1)];
  for (std::uint32_t i = 0; i < count; ++i)
    wheel = (wheel ^ (wheel >> 9)) * 0x9e3779b97f4a7c15U;
  return wheel;
}

} // namespace sartor::bench
