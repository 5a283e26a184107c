// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// stepped_program [wait]: calls a variant. With `wait`, it says "ready" and calls it again and
/// again, at most for five minutes, until a debugger sets `debugger_was_here`.

#include <chrono>
#include <cstdio>
#include <thread>

#include <sartor/sartor.hpp>

#include "stepped.h"

extern "C" {
volatile int debugger_was_here = 0; // NOLINT(*-avoid-non-const-global-variables): for debuggers
}

int outside(int value) { return value + 1; }

int main(int count, char **) {
  sartor::Runtime runtime;
  const auto call = runtime.handler<&stepped>();
  runtime.specialize({{"mode", 2}});
  int sum = call(3, 2);
  if (count > 1) {
    std::puts("ready");
    std::fflush(stdout);
    for (int i = 0; i < 3000 && debugger_was_here == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      sum = call(3, 2);
    }
  }
  return sum == 24 ? 0 : 1;
}
