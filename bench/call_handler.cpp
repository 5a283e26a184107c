// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t padded(std::uint64_t key, std::uint64_t padding) {
  const std::uint64_t units = sartor_enum("padding", padding, 0, 1, 2, 3, 4, 5);
  std::uint64_t chain = key;
  for (std::uint64_t i = 0; i < kSteps + kStepsPerUnit * units; ++i) {
    chain *= 0x9e37'79b9'7f4a'7c15;
    asm volatile("" : "+r"(chain));
  }
  return key * 3;
}

} // namespace sartor::bench
