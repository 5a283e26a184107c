// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.h"

#include "problems.h"

namespace hydro {

Program::Program(Index cells, const Kernels &kernels, Tile tile)
    : grid_(cells, cells, 1, 1), simulation_(grid_, corner, kernels, tile),
      thread_([this](const std::stop_token &stop) { run(stop); }) {}

void Program::run(const std::stop_token &stop) {
  while (!stop.stop_requested()) {
    simulation_.step();
    if (++iterations_ % 10 == 0)
      simulation_.summary();
  }
}

} // namespace hydro
