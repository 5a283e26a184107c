// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_PROGRAM_H
#define HYDRO_PROGRAM_H

#include <atomic>
#include <cstdint>
#include <thread>

#include "simulation.h"

namespace hydro {

/// A running simulation: iterates on a thread of its own, with a summary after every tenth
/// iteration, until it is destroyed.
class Program {
public:
  /// Simulates a box of `cells` × `cells`. The code that `kernels` points to must outlive this
  /// object.
  Program(Index cells, const Kernels &kernels, Tile tile = kRows);

  /// Number of iterations since the start.
  [[nodiscard]] const std::atomic<std::uint64_t> &iterations() const { return iterations_; }
  [[nodiscard]] const Grid &grid() const { return grid_; }

private:
  void run(const std::stop_token &stop);

  Grid grid_;
  Simulation simulation_;
  std::atomic<std::uint64_t> iterations_ = 0;
  std::jthread thread_; ///< The last member, so that it ends first.
};

} // namespace hydro

#endif
