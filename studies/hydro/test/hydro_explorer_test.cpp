// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An explorer selects plans while a simulation runs, whose results must not change.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>

#include <gtest/gtest.h>
#include <sartor/sartor.hpp>

#include "problems.h"
#include "tuning.h"

namespace hydro {
namespace {

const Grid kGrid(128, 128, 1, 1);

TEST(Explorer, of_plans_leaves_each_bit_alone_while_a_simulation_runs) {
  sartor::Runtime runtime;
  sartor::ExplorerOptions options = plan_options(runtime, kGrid);
  options.most_trials = 10;
  options.most_samples = 20;
  options.regression_budget = 1; // so that many switches occur soon
  Simulation simulation(kGrid, corner, entries(runtime));
  std::atomic<std::uint64_t> steps = 0;
  sartor::Explorer explorer(runtime, sartor::Objective::rate_of(steps, "steps"), options);
  auto found = std::async(std::launch::async, [&] { return explorer.explore(); });
  while (found.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    simulation.step();
    ++steps;
  }
  const sartor::Decision decision = found.get();
  EXPECT_TRUE(explorer.space().allows(decision.configuration)) << decision.configuration.text();
  EXPECT_GT(decision.estimate.mean, 0);
  EXPECT_GT(steps, 12U);

  Simulation untouched(kGrid, corner);
  for (std::uint64_t i = 0; i < steps; ++i)
    untouched.step();
  ASSERT_EQ(simulation.time(), untouched.time());
  for (Index j = 0; j < kGrid.ny; ++j)
    for (Index i = 0; i < kGrid.nx; ++i) {
      const Index c = j * kGrid.stride + i;
      ASSERT_EQ(simulation.density().at_origin()[c], untouched.density().at_origin()[c]);
      ASSERT_EQ(simulation.energy().at_origin()[c], untouched.energy().at_origin()[c]);
      ASSERT_EQ(simulation.velocity_x().at_origin()[c], untouched.velocity_x().at_origin()[c]);
      ASSERT_EQ(simulation.velocity_y().at_origin()[c], untouched.velocity_y().at_origin()[c]);
    }
}

} // namespace
} // namespace hydro
