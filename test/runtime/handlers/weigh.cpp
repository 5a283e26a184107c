// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arithmetic.h"

#include <sartor/points.h>

std::uint64_t weigh(std::uint64_t x, std::uint64_t weight) {
  return x * sartor_generic("weight", weight);
}
