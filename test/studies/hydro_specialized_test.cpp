// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Specialized loops against the generic ones: the same bits.
#include <random>

#include <gtest/gtest.h>
#include <sartor/sartor.hpp>

#include "problems.h"
#include "replica.h"
#include "tuning.h"

namespace hydro {
namespace {

/// Neither size is a multiple of the tiles'.
const Grid kGrid(75, 53, 1.5, 1);
constexpr int kSteps = 6;

/// What is measured is what is compared: the full variants only.
const sartor::Options kOptions{.quick_tier = false};

Initial waves(double x, double y) {
  return at_rest(1 + 0.5 * x * y, x < 0.4 || y > 0.8 ? 2 : 0.3 + 0.2 * y);
}

struct Outcome {
  std::vector<double> numbers;
  bool operator==(const Outcome &) const = default;
};

/// All fields after some steps, and the sums over them.
Outcome outcome(const Kernels &kernels, Tile tile) {
  Simulation simulation(kGrid, waves, kernels, tile);
  for (int i = 0; i < kSteps; ++i)
    simulation.step();
  const Summary sums = simulation.summary();
  Outcome out{{simulation.time(), sums.mass, sums.internal, sums.kinetic, sums.mean_pressure}};
  for (const Field *field : {&simulation.density(), &simulation.energy(), &simulation.velocity_x(),
                             &simulation.velocity_y()})
    for (Index j = 0; j <= kGrid.ny; ++j)
      for (Index i = 0; i <= kGrid.nx; ++i)
        out.numbers.push_back(field->at_origin()[j * kGrid.stride + i]);
  return out;
}

/// With tiles that are larger than the grid.
const Outcome &untiled() {
  static const Outcome result = outcome({}, {512, 64});
  return result;
}

TEST(Tiles, do_not_change_the_generic_code_s_results) {
  for (const Tile tile : {Tile{1, 1}, Tile{8, 2}, Tile{13, 7}, Tile{32, 32}, Tile{64, 1}})
    EXPECT_EQ(outcome({}, tile), untiled()) << tile.i << " x " << tile.j;
}

TEST(Tiles, do_not_change_a_variant_s_results) {
  sartor::Runtime runtime(kOptions);
  const Kernels kernels = entries(runtime);
  for (const Tile tile : {Tile{8, 1}, Tile{32, 4}}) {
    const auto variants = runtime.specialize(same_tiles(tile));
    EXPECT_EQ(variants.size(), kLoops);
    EXPECT_EQ(outcome(kernels, kDefaultTile), untiled()) << tile.i << " x " << tile.j;
  }
}

TEST(Tiles, at_random_in_each_loop_do_not_change_results) {
  sartor::Runtime runtime(kOptions);
  const Kernels kernels = entries(runtime);
  const sartor::SearchSpace space = tile_space(runtime);
  std::mt19937_64 generator(7);
  const sartor::Configuration configuration = space.at(space.random(generator));
  runtime.specialize(configuration);
  EXPECT_EQ(outcome(kernels, kDefaultTile), untiled()) << configuration.text();
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

TEST(Replica, accounts_for_its_iterations) {
  Replica replica({}, {.cells = 16, .period = std::chrono::microseconds(100)});
  EXPECT_GT(replica.run(5), 0);
  EXPECT_EQ(replica.iterations(), 5);
  EXPECT_GT(replica.cpu_seconds(), 0);
}

} // namespace
} // namespace hydro
