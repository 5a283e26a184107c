// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A program that exits during compilations, with a static runtime: exit_while_compiling.sh runs it
/// many times.
#include <cstdlib>

#include <sartor/sartor.hpp>

#include "exit_handler.h"

int main(int argc, char **argv) {
  static sartor::Runtime runtime;
  const long delay = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  for (int n = 1; n <= 3; ++n)
    (void)runtime.specialize_async({{"n", n}});
  std::this_thread::sleep_for(std::chrono::microseconds(delay));
  std::exit(sum_of_squares(3) == 14 ? 0 : 1);
}
