// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stand.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "problems.h"
#include "tuning.h"

namespace hydro {

namespace {

Kernels timed_kernels;
std::array<double, kLoops> ticks_of_loops;

/// A loop with a timer around it.
template <std::size_t loop, auto kernel> struct Timed;
template <std::size_t loop, class... A, void (*Kernels::*kernel)(A...)> struct Timed<loop, kernel> {
  static void call(A... arguments) {
    const std::uint64_t begin = sartor::bench::ticks();
    (timed_kernels.*kernel)(arguments...);
    ticks_of_loops[loop] += static_cast<double>(sartor::bench::ticks() - begin);
  }
};

Kernels timed(const Kernels &kernels) {
  timed_kernels = kernels;
  Kernels all = kernels;
  all.ideal_gas = Timed<0, &Kernels::ideal_gas>::call;
  all.viscosity = Timed<1, &Kernels::viscosity>::call;
  all.time_step = Timed<2, &Kernels::time_step>::call;
  all.pdv = Timed<3, &Kernels::pdv>::call;
  all.accelerate = Timed<4, &Kernels::accelerate>::call;
  all.fluxes = Timed<5, &Kernels::fluxes>::call;
  all.advect_cells_x = Timed<6, &Kernels::advect_cells_x>::call;
  all.advect_cells_y = Timed<7, &Kernels::advect_cells_y>::call;
  all.advect_momentum_x = Timed<8, &Kernels::advect_momentum_x>::call;
  all.advect_momentum_y = Timed<9, &Kernels::advect_momentum_y>::call;
  all.reset = Timed<10, &Kernels::reset>::call;
  all.summary = Timed<11, &Kernels::summary>::call;
  return all;
}

} // namespace

Stand::Stand(sartor::Runtime &runtime, Index cells, Tile tile)
    : runtime_(runtime),
      simulation_(Grid(cells, cells, 1, 1), corner, timed(entries(runtime)), tile) {
  iteration({}); // so that the memory is mapped
}

void Stand::activate(const sartor::Configuration &configuration) {
  if (runtime_.configuration() != configuration)
    runtime_.specialize(configuration);
}

double Stand::step(const sartor::Configuration &configuration) {
  activate(configuration);
  const std::uint64_t begin = sartor::bench::ticks();
  simulation_.step();
  simulation_.step();
  return static_cast<double>(sartor::bench::ticks() - begin) / 2;
}

double Stand::iteration(const sartor::Configuration &configuration) {
  activate(configuration);
  ticks_of_loops.fill(0);
  const std::uint64_t begin = sartor::bench::ticks();
  simulation_.step();
  simulation_.summary();
  return static_cast<double>(sartor::bench::ticks() - begin);
}

const std::array<double, kLoops> &Stand::loops() const { return ticks_of_loops; }

std::vector<sartor::bench::Samples>
Stand::interleave(const std::vector<sartor::Configuration> &configurations, std::size_t rounds) {
  std::vector<sartor::bench::Samples> samples(configurations.size());
  std::vector<std::size_t> order(configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(1);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, generator);
    for (const std::size_t which : order)
      samples[which].push_back(step(configurations[which]));
  }
  return samples;
}

} // namespace hydro
