// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Specialized loops must compute the same bits as the generic ones.
#include <initializer_list>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include <gtest/gtest.h>
#include <sartor/sartor.hpp>

#include "problems.h"
#include "program.h"
#include "tuning.h"

namespace hydro {
namespace {

/// Neither size is a multiple of the tile sizes.
const Grid kGrid(75, 53, 1.5, 1);
constexpr int kSteps = 6;

/// Compares the code that the study measures: full variants only.
const sartor::Options kOptions{.quick_tier = false};

Initial waves(double x, double y) {
  return at_rest(1 + 0.5 * x * y, x < 0.4 || y > 0.8 ? 2 : 0.3 + 0.2 * y);
}

struct Outcome {
  std::vector<double> numbers;
  bool operator==(const Outcome &) const = default;
};

/// All fields after some steps, and their sums.
Outcome outcome(const Kernels &kernels, Tile tile, const Plan &plan = {},
                const Grid &grid = kGrid) {
  Simulation simulation(grid, waves, kernels, tile, Simulation::First::x, plan);
  for (int i = 0; i < kSteps; ++i)
    simulation.step();
  const Summary sums = simulation.summary();
  Outcome out{{simulation.time(), sums.mass, sums.internal, sums.kinetic, sums.mean_pressure}};
  for (const Field *field : {&simulation.density(), &simulation.energy(), &simulation.velocity_x(),
                             &simulation.velocity_y()})
    for (Index j = 0; j <= grid.ny; ++j)
      for (Index i = 0; i <= grid.nx; ++i)
        out.numbers.push_back(field->at_origin()[j * grid.stride + i]);
  return out;
}

/// Row by row, loop after loop.
const Outcome &rows() {
  static const Outcome result = outcome({}, kRows);
  return result;
}

TEST(Tiles, do_not_change_the_generic_code_s_results) {
  for (const Tile tile :
       {Tile{1, 1}, Tile{8, 2}, Tile{13, 7}, Tile{32, 32}, Tile{64, 1}, Tile{512, 64}})
    EXPECT_EQ(outcome({}, tile), rows()) << tile.i << " x " << tile.j;
}

TEST(Tiles, do_not_change_a_variant_s_results) {
  sartor::Runtime runtime(kOptions);
  const Kernels kernels = entries(runtime);
  for (const Tile tile : {Tile{8, 1}, Tile{32, 4}}) {
    const auto variants = runtime.specialize(same_tiles(tile));
    EXPECT_GE(variants.size(), kLoops);
    EXPECT_EQ(outcome(kernels, kDefaultTile), rows()) << tile.i << " x " << tile.j;
  }
}

TEST(Tiles, at_random_in_each_loop_do_not_change_results) {
  sartor::Runtime runtime(kOptions);
  const Kernels kernels = entries(runtime);
  const sartor::SearchSpace space = tile_space(runtime);
  std::mt19937_64 generator(7);
  const sartor::Configuration configuration = space.at(space.random(generator));
  runtime.specialize(configuration);
  EXPECT_EQ(outcome(kernels, kDefaultTile), rows()) << configuration.text();
}

TEST(Tiles, are_24_points_of_seven_sizes) {
  const sartor::Runtime runtime;
  const sartor::SearchSpace space = tile_space(runtime);
  ASSERT_EQ(space.dimensions().size(), 2 * kLoops);
  for (const sartor::Dimension &dimension : space.dimensions()) {
    EXPECT_EQ(dimension.settings.size(), 7) << dimension.label;
    EXPECT_FALSE(dimension.settings.front().guarded) << dimension.label;
  }
}

/// All plans, with some band heights.
std::vector<Plan> plans(std::initializer_list<Index> bands) {
  std::vector<Plan> all;
  for (const Index band : bands)
    for (const Store store : {Store::copied, Store::exchanged, Store::in_place})
      for (unsigned bits = 0; bits < 16; ++bits)
        all.push_back({.band = band,
                       .store = store,
                       .predict = (bits & 1) != 0,
                       .correct = (bits & 2) != 0,
                       .time_step = (bits & 4) != 0,
                       .ahead = (bits & 8) != 0});
  return all;
}

TEST(Plans, do_not_change_the_generic_code_s_results) {
  // Bands lower than the distance between loops, no divisor of the grid's height, as high as a
  // window allows, and higher than the grid.
  for (const Plan &plan : plans({0, 1, 3, 8, kHighestBand, 33, 256}))
    ASSERT_EQ(outcome({}, kRows, plan), rows()) << configuration_of(plan).text();
}

TEST(Plans, do_not_change_results_on_flat_and_high_grids) {
  // Fewer rows than the distance between loops, and windows that wrap around several times.
  for (const Grid &grid : {Grid(40, 4, 1, 0.1), Grid(20, 7, 1, 1), Grid(9, 300, 0.1, 2)}) {
    const Outcome expected = outcome({}, kRows, {}, grid);
    for (const Plan &plan : plans({1, 2, 16, kHighestBand}))
      ASSERT_EQ(outcome({}, kRows, plan, grid), expected)
          << grid.ny << " rows: " << configuration_of(plan).text();
  }
}

TEST(Plans, keep_mass_in_windows) {
  const Plan plan{
      .band = 4, .store = Store::in_place, .predict = true, .correct = true, .time_step = true};
  Simulation simulation(Grid(64, 96, 1, 1), corner, {}, kRows, Simulation::First::y, plan);
  const Summary before = simulation.summary();
  simulation.run_until(1.5);
  const Summary after = simulation.summary();
  EXPECT_NEAR(after.mass / before.mass, 1, 1e-13);
  const double energy = before.internal + before.kinetic;
  EXPECT_LT(after.internal + after.kinetic, energy);
  EXPECT_GT(after.internal + after.kinetic, 0.97 * energy);
}

/// Square cells whose side is a power of two.
const Grid kSquare(64, 48, 1, 0.75);

TEST(Plans, do_not_change_a_variant_s_results) {
  sartor::Runtime runtime(kOptions);
  const Kernels kernels = entries(runtime);
  const sartor::ExplorerOptions options = plan_options(runtime, kSquare);
  const sartor::SearchSpace space(runtime.space(), options.choices, options.unguarded);
  const Outcome expected = outcome({}, kRows, {}, kSquare);
  std::mt19937_64 generator(7);
  for (int i = 0; i < 12; ++i) {
    const sartor::Configuration configuration = space.at(space.random(generator));
    runtime.specialize(configuration);
    ASSERT_EQ(outcome(kernels, kRows, {}, kSquare), expected) << configuration.text();
    // Cells of other sizes: the side exit sends the loops into the generic code.
    ASSERT_EQ(outcome(kernels, kRows), rows()) << configuration.text();
  }
}

TEST(Plans, are_some_hundreds_of_configurations) {
  sartor::Runtime runtime(kOptions);
  const sartor::ExplorerOptions options = plan_options(runtime, kSquare);
  const sartor::SearchSpace space(runtime.space(), options.choices, options.unguarded);
  EXPECT_EQ(space.dimensions().size(), 8);
  // Bands of up to 32 rows allow three ways to store, others two; without bands, there is no
  // prefetching. Three loops can be fused, and there are two more points.
  EXPECT_EQ(space.all().size(), (3 + 2 * (5 * 3 + 3 * 2)) * 8 * 2 * 2);
}

TEST(Windows, are_the_same_rows_again_and_again) {
  const Grid high(10, 200, 1, 1);
  const WindowFields window(high);
  double *const u = window.at_origin().moved.u;
  u[3] = 7;
  EXPECT_EQ(u[3 + kWindow * high.stride], 7);
  EXPECT_EQ(window.at_origin().moved.v[3], 0);
  u[-kHalo * high.stride - kHalo] = 8; // the halo below
  EXPECT_EQ(u[(kWindow - kHalo) * high.stride - kHalo], 8);
  u[(high.ny + kHalo) * high.stride + high.nx + kHalo] = 9; // and the halo above
  EXPECT_EQ(u[(high.ny + kHalo - kWindow) * high.stride + high.nx + kHalo], 9);
}

TEST(Windows, that_cannot_be_had_are_an_error) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string message;
  try {
    const WindowFields window(kGrid);
  } catch (const std::system_error &error) {
    message = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NE(message.find("no memory for windows"), std::string::npos) << message;
}

TEST(Program, counts_its_iterations) {
  const Program program(16, {});
  while (program.iterations() < 25)
    std::this_thread::yield();
}

} // namespace
} // namespace hydro
