// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulation.h"

#include <algorithm>
#include <numeric>

namespace hydro {

Simulation::Simulation(const Grid &grid, const InitialState &initial, const Kernels &kernels,
                       Tile tile, First first)
    : grid_(grid), kernels_(kernels), tile_(tile), x_first_(first == First::x), density0_(grid),
      density1_(grid), energy0_(grid), energy1_(grid), u0_(grid), u1_(grid), v0_(grid), v1_(grid),
      pressure_(grid), viscosity_(grid), sound_speed_(grid), volume_flux_x_(grid),
      volume_flux_y_(grid), mass_flux_x_(grid), mass_flux_y_(grid),
      columns_(static_cast<std::size_t>(4 * grid.nx)) {
  for (Index j = 0; j < grid_.ny; ++j)
    for (Index i = 0; i < grid_.nx; ++i) {
      const Initial cell = initial((static_cast<double>(i) + 0.5) * grid_.dx,
                                   (static_cast<double>(j) + 0.5) * grid_.dy);
      density0_.at_origin()[j * grid_.stride + i] = cell.density;
      energy0_.at_origin()[j * grid_.stride + i] = cell.energy;
    }
}

double Simulation::step(double most) {
  reflect(grid_, density0_, kScalar);
  reflect(grid_, energy0_, kScalar);
  update_pressure(density0_, energy0_);
  kernels_.viscosity(&grid_, tile_, density0_.at_origin(), pressure_.at_origin(), u0_.at_origin(),
                     v0_.at_origin(), viscosity_.at_origin());
  reflect(grid_, viscosity_, kScalar);
  const double dt = std::min(most, stable_step());
  move(dt);
  if (x_first_) {
    advect_x(true);
    advect_y(false);
  } else {
    advect_y(true);
    advect_x(false);
  }
  x_first_ = !x_first_;
  kernels_.reset(&grid_, tile_, density1_.at_origin(), energy1_.at_origin(), u1_.at_origin(),
                 v1_.at_origin(), density0_.at_origin(), energy0_.at_origin(), u0_.at_origin(),
                 v0_.at_origin());
  time_ += dt;
  return dt;
}

void Simulation::run_until(double end) {
  while (time_ < end)
    step(end - time_);
}

Summary Simulation::summary() {
  update_pressure(density0_, energy0_);
  std::ranges::fill(columns_, 0.0);
  const Index n = grid_.nx;
  double *const sums = columns_.data();
  kernels_.summary(&grid_, tile_, density0_.at_origin(), energy0_.at_origin(),
                   pressure_.at_origin(), u0_.at_origin(), v0_.at_origin(), sums, sums + n,
                   sums + 2 * n, sums + 3 * n);
  const auto sum = [&](Index which) {
    return std::accumulate(sums + which * n, sums + (which + 1) * n, 0.0);
  };
  const double box = static_cast<double>(grid_.nx * grid_.ny) * grid_.dx * grid_.dy;
  return {sum(0), sum(1), sum(2), sum(3) / box};
}

void Simulation::update_pressure(const Field &density, const Field &energy) {
  kernels_.ideal_gas(&grid_, tile_, density.at_origin(), energy.at_origin(), pressure_.at_origin(),
                     sound_speed_.at_origin());
  reflect(grid_, pressure_, kScalar);
}

double Simulation::stable_step() {
  std::fill_n(columns_.begin(), grid_.nx, 0.0);
  kernels_.time_step(&grid_, tile_, density0_.at_origin(), sound_speed_.at_origin(),
                     viscosity_.at_origin(), u0_.at_origin(), v0_.at_origin(), columns_.data());
  return 1 / *std::max_element(columns_.begin(), columns_.begin() + grid_.nx);
}

/// The Lagrangian half: a predictor of half a step gives the pressure that accelerates the nodes.
void Simulation::move(double dt) {
  const auto pdv = [&](double time, const Field &u_end, const Field &v_end) {
    kernels_.pdv(&grid_, tile_, time, density0_.at_origin(), energy0_.at_origin(),
                 pressure_.at_origin(), viscosity_.at_origin(), u0_.at_origin(), u_end.at_origin(),
                 v0_.at_origin(), v_end.at_origin(), density1_.at_origin(), energy1_.at_origin());
  };
  pdv(0.5 * dt, u0_, v0_);
  update_pressure(density1_, energy1_);
  kernels_.accelerate(&grid_, tile_, dt, density0_.at_origin(), pressure_.at_origin(),
                      viscosity_.at_origin(), u0_.at_origin(), v0_.at_origin(), u1_.at_origin(),
                      v1_.at_origin());
  pdv(dt, u1_, v1_);
  kernels_.fluxes(&grid_, tile_, dt, u0_.at_origin(), u1_.at_origin(), v0_.at_origin(),
                  v1_.at_origin(), volume_flux_x_.at_origin(), volume_flux_y_.at_origin());
  reflect(grid_, volume_flux_x_, kFluxX);
  reflect(grid_, volume_flux_y_, kFluxY);
  reflect(grid_, density1_, kScalar);
  reflect(grid_, energy1_, kScalar);
  reflect(grid_, u1_, kVelocityX);
  reflect(grid_, v1_, kVelocityY);
}

Simulation::Levels Simulation::levels(bool is_first) {
  if (is_first)
    return {density1_, energy1_, u1_, v1_, density0_, energy0_, u0_, v0_};
  return {density0_, energy0_, u0_, v0_, density1_, energy1_, u1_, v1_};
}

void Simulation::advect_x(bool is_first) {
  const Levels at = levels(is_first);
  kernels_.advect_cells_x(&grid_, tile_, is_first, volume_flux_x_.at_origin(),
                          volume_flux_y_.at_origin(), at.density.at_origin(), at.energy.at_origin(),
                          at.new_density.at_origin(), at.new_energy.at_origin(),
                          mass_flux_x_.at_origin());
  reflect(grid_, at.new_density, kScalar);
  reflect(grid_, at.new_energy, kScalar);
  reflect(grid_, mass_flux_x_, kFluxX);
  kernels_.advect_momentum_x(&grid_, tile_, is_first, volume_flux_y_.at_origin(),
                             mass_flux_x_.at_origin(), at.new_density.at_origin(), at.u.at_origin(),
                             at.v.at_origin(), at.new_u.at_origin(), at.new_v.at_origin());
  reflect(grid_, at.new_u, kVelocityX);
  reflect(grid_, at.new_v, kVelocityY);
}

void Simulation::advect_y(bool is_first) {
  const Levels at = levels(is_first);
  kernels_.advect_cells_y(&grid_, tile_, is_first, volume_flux_x_.at_origin(),
                          volume_flux_y_.at_origin(), at.density.at_origin(), at.energy.at_origin(),
                          at.new_density.at_origin(), at.new_energy.at_origin(),
                          mass_flux_y_.at_origin());
  reflect(grid_, at.new_density, kScalar);
  reflect(grid_, at.new_energy, kScalar);
  reflect(grid_, mass_flux_y_, kFluxY);
  kernels_.advect_momentum_y(&grid_, tile_, is_first, volume_flux_x_.at_origin(),
                             mass_flux_y_.at_origin(), at.new_density.at_origin(), at.u.at_origin(),
                             at.v.at_origin(), at.new_u.at_origin(), at.new_v.at_origin());
  reflect(grid_, at.new_u, kVelocityX);
  reflect(grid_, at.new_v, kVelocityY);
}

} // namespace hydro
