// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "phases.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t in_phase(std::uint64_t x, unsigned phase) {
  return x * (3 + sartor_enum("phase", phase, 0, 1));
}
