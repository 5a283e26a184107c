// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuning.h"

#include <array>
#include <future>
#include <set>
#include <string>
#include <vector>

#include "tiles.h"

namespace hydro {

namespace {

std::array<std::string, 2> labels(std::size_t loop) {
  const std::string number = std::to_string(loop + 1);
  return {"Ti" + number, "Tj" + number};
}

} // namespace

Kernels entries(sartor::Runtime &runtime) {
  if (!runtime.active())
    return {};
  return {.ideal_gas = runtime.handler<&hydro_ideal_gas>().function(),
          .viscosity = runtime.handler<&hydro_viscosity>().function(),
          .time_step = runtime.handler<&hydro_time_step>().function(),
          .pdv = runtime.handler<&hydro_pdv>().function(),
          .accelerate = runtime.handler<&hydro_accelerate>().function(),
          .fluxes = runtime.handler<&hydro_fluxes>().function(),
          .advect_cells_x = runtime.handler<&hydro_advect_cells_x>().function(),
          .advect_cells_y = runtime.handler<&hydro_advect_cells_y>().function(),
          .advect_momentum_x = runtime.handler<&hydro_advect_momentum_x>().function(),
          .advect_momentum_y = runtime.handler<&hydro_advect_momentum_y>().function(),
          .reset = runtime.handler<&hydro_reset>().function(),
          .summary = runtime.handler<&hydro_summary>().function()};
}

sartor::SearchSpace tile_space(const sartor::Runtime &runtime) {
  std::set<std::string> all;
  for (std::size_t loop = 0; loop < kLoops; ++loop)
    for (const std::string &label : labels(loop))
      all.insert(label);
  return {runtime.space(), {}, all};
}

std::map<std::string, std::set<std::string>> labels_of_loops() {
  std::map<std::string, std::set<std::string>> all;
  for (std::size_t loop = 0; loop < kLoops; ++loop)
    for (const std::string &label : labels(loop))
      all[kLoopNames[loop]].insert(label);
  return all;
}

sartor::Configuration same_tiles(Tile tile) {
  sartor::Configuration all;
  for (std::size_t loop = 0; loop < kLoops; ++loop) {
    const auto [i, j] = labels(loop);
    all.set(i, sartor::unguarded(tile.i));
    all.set(j, sartor::unguarded(tile.j));
  }
  return all;
}

sartor::Configuration of_loop(const sartor::Configuration &configuration, std::size_t loop) {
  sartor::Configuration part;
  for (const std::string &label : labels(loop))
    if (const sartor::Setting *setting = configuration.find(label))
      part.set(label, *setting);
  return part;
}

void prepare_all(sartor::Runtime &runtime) {
  for (const Index i : {HYDRO_TILES_I}) {
    std::vector<std::future<std::vector<sartor::VariantInfo>>> wanted;
    for (const Index j : {HYDRO_TILES_J})
      wanted.push_back(runtime.prepare(same_tiles({i, j})));
    for (auto &compiled : wanted)
      compiled.get();
  }
}

} // namespace hydro
