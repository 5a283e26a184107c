// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_TUNING_H
#define HYDRO_TUNING_H

#include <cstddef>

#include <sartor/explorer.hpp>
#include <sartor/runtime.hpp>
#include <sartor/search_space.hpp>

#include "simulation.h"

/// \file How Sartor specializes the simulation.
namespace hydro {

/// The entries of the loops, through which calls reach the active variants. Valid as long as
/// `runtime`; with SARTOR=off, they are the native code.
Kernels entries(sartor::Runtime &runtime);

/// Explorer options for the points of the plan (pass.h), and whether loops know the side of a
/// square cell. Sets the constraints between them. The program's own plan, all rows through one
/// loop after the other, is the generic setting. Tiles are not explored.
sartor::ExplorerOptions plan_options(sartor::Runtime &runtime, const Grid &grid);

/// Compiles all variants that a space needs, so that trials do not wait for them.
void prepare_all(sartor::Runtime &runtime, const sartor::SearchSpace &space);

/// The part of a configuration that represents a plan.
sartor::Configuration configuration_of(const Plan &plan);

/// The 24 points of the tiles with seven sizes each. They have no guards: any tile gives the same
/// results.
sartor::SearchSpace tile_space(const sartor::Runtime &runtime);

/// The same tile for all loops, with sizes that the points offer.
sartor::Configuration same_tiles(Tile tile);
/// One loop's part of a configuration. Loops are numbered from 0.
sartor::Configuration of_loop(const sartor::Configuration &configuration, std::size_t loop);

/// Compiles all variants that a search of tiles may need, 7 × 7 for each loop, so that trials do
/// not wait; existing ones are not compiled again. Options::code_cache_bytes must be large enough
/// for them.
void prepare_all(sartor::Runtime &runtime);

} // namespace hydro

#endif
