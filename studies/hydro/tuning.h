// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_TUNING_H
#define HYDRO_TUNING_H

#include <cstddef>

#include <sartor/explorer.hpp>
#include <sartor/runtime.hpp>
#include <sartor/search_space.hpp>

#include "simulation.h"

/// \file
/// Sartor's side of the simulation.
namespace hydro {

/// The loops by way of their entries, which lead to what is in force. Valid as long as `runtime`;
/// with SARTOR=off, the native code.
Kernels entries(sartor::Runtime &runtime);

/// What an explorer chooses from: the points of the plan (pass.h), and whether loops know the side
/// of a square cell. Sets the constraints between them. What the program's own plan says, all rows
/// through one loop after the other, is the generic setting. Tiles are left alone.
sartor::ExplorerOptions plan_options(sartor::Runtime &runtime, const Grid &grid);

/// Compiles what all configurations of a space need, so that trials do not wait.
void prepare_all(sartor::Runtime &runtime, const sartor::SearchSpace &space);

/// A plan's part of a configuration.
sartor::Configuration configuration_of(const Plan &plan);

/// The 24 points of the tiles, each with its seven sizes. None has a guard: any tile gives the same
/// results.
sartor::SearchSpace tile_space(const sartor::Runtime &runtime);

/// All loops with the same tile, of sizes that the points have.
sartor::Configuration same_tiles(Tile tile);
/// One loop's part of a configuration. Loops are numbered from 0 on.
sartor::Configuration of_loop(const sartor::Configuration &configuration, std::size_t loop);

/// Compiles all variants that a search of tiles may ask for, 7 × 7 of each loop, so that trials do
/// not wait; what is there already is not made again. Room for them must be in
/// Options::code_cache_bytes.
void prepare_all(sartor::Runtime &runtime);

} // namespace hydro

#endif
