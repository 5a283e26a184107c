// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t keyed_hash(std::uint64_t key, std::uint64_t word, unsigned rounds) {
  std::uint64_t hash = word;
  for (unsigned round = 0; round < rounds; ++round)
    hash = (hash ^ key) * 0x9E3779B97F4A7C15 + round;
  return hash;
}

} // namespace sartor::bench
