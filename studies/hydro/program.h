// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_PROGRAM_H
#define HYDRO_PROGRAM_H

#include <atomic>
#include <cstdint>
#include <thread>

#include "simulation.h"

namespace hydro {

/// A simulation as it runs: on a thread of its own, iteration after iteration, with a summary after
/// every tenth, until it is destroyed.
class Program {
public:
  /// A box of `cells` × `cells`. What `kernels` leads to must outlive it.
  Program(Index cells, const Kernels &kernels, Tile tile = kRows);

  /// Since the beginning.
  [[nodiscard]] const std::atomic<std::uint64_t> &iterations() const { return iterations_; }
  [[nodiscard]] const Grid &grid() const { return grid_; }

private:
  void run(const std::stop_token &stop);

  Grid grid_;
  Simulation simulation_;
  std::atomic<std::uint64_t> iterations_ = 0;
  std::jthread thread_; ///< The last one: it ends first.
};

} // namespace hydro

#endif
