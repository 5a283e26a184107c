// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The simulation compared with known properties of its equations.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "problems.h"

namespace hydro {
namespace {

constexpr Index kThin = 4;

/// Mean distance of the density from the exact solution of Sod's problem, along x or y.
double sod_error(Index cells, bool along_x) {
  const double thin = static_cast<double>(kThin) / static_cast<double>(cells);
  const Grid grid = along_x ? Grid(cells, kThin, 1, thin) : Grid(kThin, cells, thin, 1);
  Simulation simulation(grid, [&](double x, double y) { return sod(along_x ? x : y); });
  simulation.run_until(kSodTime);
  double error = 0;
  const Index step = along_x ? 1 : grid.stride;
  for (Index i = 0; i < cells; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
    const Gas exact = riemann(kSodLeft, kSodRight, (x - 0.5) / kSodTime);
    error += std::fabs(simulation.density().at_origin()[i * step] - exact.density);
  }
  return error / static_cast<double>(cells);
}

TEST(Riemann, of_sod_s_problem_has_the_known_middle) {
  // Toro, table 4.3: p* = 0.30313, u* = 0.92745, densities 0.42632 and 0.26557.
  const Gas left = riemann(kSodLeft, kSodRight, 0.9);
  EXPECT_NEAR(left.pressure, 0.30313, 1e-5);
  EXPECT_NEAR(left.velocity, 0.92745, 1e-5);
  EXPECT_NEAR(left.density, 0.42632, 1e-5);
  EXPECT_NEAR(riemann(kSodLeft, kSodRight, 1.0).density, 0.26557, 1e-5);
}

TEST(Hydro, solves_sod_s_problem_along_x) {
  const double coarse = sod_error(100, true);
  const double fine = sod_error(400, true);
  EXPECT_LT(coarse, 0.012);
  EXPECT_LT(fine, 0.0035);
  // At a shock, no scheme is better than first order.
  EXPECT_GT(coarse / fine, 3);
}

TEST(Hydro, solves_sod_s_problem_along_y_as_along_x) {
  EXPECT_NEAR(sod_error(100, true), sod_error(100, false), 1e-12);
}

/// Mean distance of a standing sound wave from the exact solution after one period, relative to its
/// amplitude.
double wave_error(Index cells) {
  constexpr double amplitude = 1e-6;
  const double c = std::sqrt(kGamma); // density and pressure are 1
  const double thin = static_cast<double>(kThin) / static_cast<double>(cells);
  const auto wave = [](double x) { return std::cos(std::numbers::pi * x); };
  Simulation simulation(Grid(cells, kThin, 1, thin), [&](double x, double) {
    const double density = 1 + amplitude * wave(x);
    return at_rest(density, std::pow(density, kGamma));
  });
  simulation.run_until(2 / c);
  double error = 0;
  for (Index i = 0; i < cells; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
    error += std::fabs(simulation.density().at_origin()[i] - 1 - amplitude * wave(x));
  }
  return error / amplitude / static_cast<double>(cells);
}

TEST(Hydro, carries_sound_with_second_order) {
  const double coarse = wave_error(32);
  const double fine = wave_error(64);
  EXPECT_LT(fine, 0.01);
  EXPECT_GT(std::log2(coarse / fine), 1.7);
}

TEST(Hydro, keeps_mass_and_nearly_energy) {
  Simulation simulation(Grid(64, 48, 1, 1), corner);
  const Summary before = simulation.summary();
  simulation.run_until(1.5); // the shock has reached all walls
  const Summary after = simulation.summary();
  EXPECT_NEAR(after.mass / before.mass, 1, 1e-13);
  const double energy = before.internal + before.kinetic;
  // Momentum is conserved, but kinetic energy is not: some is lost where momentum is averaged.
  EXPECT_LT(after.internal + after.kinetic, energy);
  EXPECT_GT(after.internal + after.kinetic, 0.97 * energy);
  EXPECT_GT(after.kinetic, 0.001 * energy);
}

TEST(Hydro, leaves_gas_at_rest_alone) {
  Simulation simulation(Grid(16, 16, 1, 1), [](double, double) { return at_rest(0.7, 1.3); });
  for (int i = 0; i < 10; ++i)
    simulation.step();
  for (Index j = 0; j < 16; ++j)
    for (Index i = 0; i < 16; ++i) {
      const Index c = j * simulation.grid().stride + i;
      EXPECT_EQ(simulation.density().at_origin()[c], 0.7);
      EXPECT_EQ(simulation.velocity_x().at_origin()[c], 0);
    }
}

TEST(Hydro, knows_no_difference_between_x_and_y) {
  const auto slope = [](double x, double y) { return at_rest(1 + 3 * x * x, 1 + y); };
  Simulation one(Grid(24, 40, 1, 2), slope, {}, kRows, Simulation::First::x);
  Simulation other(
      Grid(40, 24, 2, 1), [&](double x, double y) { return slope(y, x); }, {}, kRows,
      Simulation::First::y);
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(one.step(), other.step());
  for (Index j = 0; j < 40; ++j)
    for (Index i = 0; i < 24; ++i) {
      const Index c = j * one.grid().stride + i;
      const Index d = i * other.grid().stride + j;
      ASSERT_EQ(one.density().at_origin()[c], other.density().at_origin()[d]);
      ASSERT_EQ(one.energy().at_origin()[c], other.energy().at_origin()[d]);
      ASSERT_EQ(one.velocity_x().at_origin()[c], other.velocity_y().at_origin()[d]);
    }
}

} // namespace
} // namespace hydro
