// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hydro {

Simulation::Simulation(const Grid &grid, const InitialState &initial, const Kernels &kernels,
                       Tile tile, First first, const Plan &plan)
    : grid_(grid), kernels_(kernels), tile_(tile), plan_(plan), x_first_(first == First::x),
      level0_(grid), level1_(grid), pressure_(grid), viscosity_(grid), sound_speed_(grid),
      volume_flux_x_(grid), volume_flux_y_(grid), mass_flux_x_(grid), mass_flux_y_(grid),
      window_(grid), columns_(static_cast<std::size_t>(grid.nx)) {
  for (Index j = 0; j < grid_.ny; ++j)
    for (Index i = 0; i < grid_.nx; ++i) {
      const Initial cell = initial((static_cast<double>(i) + 0.5) * grid_.dx,
                                   (static_cast<double>(j) + 0.5) * grid_.dy);
      level0_.density.at_origin()[j * grid_.stride + i] = cell.density;
      level0_.energy.at_origin()[j * grid_.stride + i] = cell.energy;
    }
  prepare();
}

void Simulation::prepare() {
  const Level at = level0_.at_origin();
  double *const p = pressure_.at_origin();
  reflect(grid_, at.density, all_rows(), kScalar);
  reflect(grid_, at.energy, all_rows(), kScalar);
  kernels_.ideal_gas(&grid_, all_rows(), tile_, at.density, at.energy, p, sound_speed_.at_origin());
  reflect(grid_, p, all_rows(), kScalar);
  kernels_.viscosity(&grid_, all_rows(), tile_, at.density, p, at.u, at.v, viscosity_.at_origin());
  reflect(grid_, viscosity_.at_origin(), all_rows(), kScalar);
  kernels_.time_step(&grid_, all_rows(), tile_, at.density, sound_speed_.at_origin(),
                     viscosity_.at_origin(), at.u, at.v, columns_.data());
}

double Simulation::step(double most) {
  const double dt = std::min(most, 1 / *std::ranges::max_element(columns_));
  std::ranges::fill(columns_, 0.0);
  Pass pass{.grid = &grid_,
            .kernels = &kernels_,
            .plan = plan_,
            .tile = tile_,
            .dt = dt,
            .x_first = x_first_,
            .level0 = level0_.at_origin(),
            .level1 = level1_.at_origin(),
            .fluxes = {volume_flux_x_.at_origin(), volume_flux_y_.at_origin(),
                       mass_flux_x_.at_origin(), mass_flux_y_.at_origin()},
            .window = window_.at_origin(),
            .pressure = pressure_.at_origin(),
            .sound_speed = sound_speed_.at_origin(),
            .viscosity = viscosity_.at_origin(),
            .columns = columns_.data(),
            .is_exchanged = false};
  kernels_.pass(&pass);
  if (pass.is_exchanged)
    std::swap(level0_, level1_);
  x_first_ = !x_first_;
  time_ += dt;
  return dt;
}

void Simulation::run_until(double end) {
  while (time_ < end)
    step(end - time_);
}

Summary Simulation::summary() {
  const Level at = level0_.at_origin();
  std::vector<double> columns(static_cast<std::size_t>(4 * grid_.nx));
  const Index n = grid_.nx;
  double *const sums = columns.data();
  kernels_.summary(&grid_, all_rows(), tile_, at.density, at.energy, pressure_.at_origin(), at.u,
                   at.v, sums, sums + n, sums + 2 * n, sums + 3 * n);
  const auto sum = [&](Index which) {
    return std::accumulate(sums + which * n, sums + (which + 1) * n, 0.0);
  };
  const double box = static_cast<double>(grid_.nx * grid_.ny) * grid_.dx * grid_.dy;
  return {sum(0), sum(1), sum(2), sum(3) / box};
}

} // namespace hydro
