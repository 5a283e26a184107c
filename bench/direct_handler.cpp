// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER_DIRECT std::uint64_t touch_directly(std::uint64_t state,
                                                   std::uint64_t key) noexcept {
  return (state ^ key) * sartor_enum("factor", factor, 3, 5);
}

SARTOR_HANDLER_DIRECT std::uint64_t touch_or_throw(std::uint64_t state, std::uint64_t key) {
  if (key == 0)
    throw state;
  return (state ^ key) * sartor_enum("factor", factor, 3, 5);
}

SARTOR_HANDLER_DIRECT std::uint64_t touch_by_mode(std::uint64_t state, std::uint64_t key) noexcept {
  return touched(modes, state, key);
}

} // namespace sartor::bench
