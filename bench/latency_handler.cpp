// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "latency_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t answer(std::uint64_t wheel, std::uint64_t way, std::uint64_t kind,
                                    const std::uint32_t *turns) {
  const std::uint32_t count = turns[kind * kWays + sartor_range("way", way, 0, kWays - 1)];
  for (std::uint32_t i = 0; i < count; ++i)
    wheel = (wheel ^ (wheel >> 9)) * 0x9e3779b97f4a7c15U;
  return wheel;
}

} // namespace sartor::bench
