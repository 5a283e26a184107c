// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuning.h"

#include <array>
#include <future>
#include <map>
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

/// The points of a plan in addition to `band` and `store`.
constexpr std::array kYesNo = {"predict", "correct", "time_step", "ahead"};

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
          .summary = runtime.handler<&hydro_summary>().function(),
          .pass = runtime.handler<&hydro_pass>().function(),
          .predict = runtime.handler<&hydro_predict>().function(),
          .correct = runtime.handler<&hydro_correct>().function(),
          .pressure = runtime.handler<&hydro_pressure>().function(),
          .viscous_step = runtime.handler<&hydro_viscous_step>().function()};
}

sartor::ExplorerOptions plan_options(sartor::Runtime &runtime, const Grid &grid) {
  runtime.constrain({.relations = {"store < 2 || band <= 32"},
                     .conditions = {{"ahead", {"band", {2, 4, 8, 16, 32, 64, 128, 256}}}}});
  sartor::ExplorerOptions options;
  for (std::size_t loop = 0; loop < kLoops; ++loop)
    for (const std::string &label : labels(loop))
      options.choices[label] = {};
  options.choices["band"] = {2, 4, 8, 16, 32, 64, 128, 256};
  options.choices["store"] = {Store::exchanged, Store::in_place};
  options.unguarded = {"band", "store"};
  for (const char *label : kYesNo) {
    options.choices[label] = {true};
    options.unguarded.insert(label);
  }
  options.choices["stream"] = {true};
  options.unguarded.insert("stream");
  if (grid.dx == grid.dy)
    options.choices["side"] = {grid.dx}; // guarded, since another value would give wrong results
  return options;
}

void prepare_all(sartor::Runtime &runtime, const sartor::SearchSpace &space) {
  std::vector<std::future<std::vector<sartor::VariantInfo>>> wanted;
  for (const sartor::Configuration &configuration : space.all())
    wanted.push_back(runtime.prepare(configuration));
  for (auto &compiled : wanted)
    compiled.get();
}

sartor::Configuration configuration_of(const Plan &plan) {
  sartor::Configuration all;
  if (plan.band != 0)
    all.set("band", sartor::unguarded(plan.band));
  if (plan.store != Store::copied)
    all.set("store", sartor::unguarded(plan.store));
  const std::array<bool, kYesNo.size()> set = {plan.predict, plan.correct, plan.time_step,
                                               plan.ahead};
  for (std::size_t i = 0; i < kYesNo.size(); ++i)
    if (set[i])
      all.set(kYesNo[i], sartor::unguarded(true));
  return all;
}

sartor::SearchSpace tile_space(const sartor::Runtime &runtime) {
  std::set<std::string> all;
  for (std::size_t loop = 0; loop < kLoops; ++loop)
    for (const std::string &label : labels(loop))
      all.insert(label);
  std::map<std::string, std::vector<sartor::Value>> choices = {
      {"band", {}}, {"store", {}}, {"stream", {}}};
  for (const char *label : kYesNo)
    choices[label] = {}; // not explored
  return {runtime.space(), choices, all};
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
