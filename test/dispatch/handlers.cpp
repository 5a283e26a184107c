// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t step(std::uint64_t state, std::uint64_t key, std::uint64_t *calls) {
  ++*calls;
  return (state ^ (state >> 7)) * sartor_generic("key", key) + 1;
}

SARTOR_HANDLER int wait_inside(int value, std::atomic<bool> *inside, std::atomic<bool> *leave) {
  const int result = sartor_generic("value", value);
  inside->store(true);
  while (!leave->load()) {
  }
  return result;
}
