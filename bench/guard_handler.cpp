// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard_handler.h"

#include <unistd.h>

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t step(std::uint64_t state, std::uint64_t key) {
  return (state ^ (state >> 7)) * sartor_generic("K", key) + 1;
}

SARTOR_HANDLER std::uint64_t count_up_to(Counted *counted, std::uint64_t more) {
  return counted->limit != 0 ? more * 3 : more + 1;
}

SARTOR_HANDLER int wait_for_byte(int file) {
  char byte = 0;
  sartor_blocking {
    if (read(file, &byte, 1) != 1)
      return -1;
  }
  return byte;
}

} // namespace sartor::bench
