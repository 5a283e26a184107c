// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t ranged_step(std::uint64_t state, std::uint64_t key) {
  return (state ^ (state >> 7)) * sartor_range("R", key, 0, 1023) + sartor_enum("C", 1, 1, 2);
}

SARTOR_HANDLER std::uint64_t generic_step(std::uint64_t state, std::uint64_t key) {
  return (state ^ (state >> 7)) * sartor_generic("G", key) + sartor_enum("C", 1, 1, 2);
}

} // namespace sartor::bench
