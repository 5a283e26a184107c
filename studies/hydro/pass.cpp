// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file One iteration: the order in which loops process rows.
#include "pass.h"

#include <algorithm>
#include <array>

#include <sartor/points.h>

#include "halo.h"

namespace hydro {
namespace {

/// Lags of the loops in rows. Loops traverse the grid one behind the other, each so many rows
/// behind the first that its inputs are complete and that no loop still needs the rows it
/// overwrites (skewed tiles). A loop that reads the row above follows one row behind its writer;
/// the sweeps along y read two rows ahead.
struct Lags {
  Index cells_first;
  Index momentum_first;
  Index cells_second;
  Index momentum_second;
};
constexpr Lags kXFirst{2, 2, 4, 5};
/// The second sweep runs two rows behind the first, because of its inputs and the rows it
/// overwrites.
constexpr Lags kYFirst{3, 4, 5, 6};
constexpr Index kLagMove = 1;  // reads the velocities of the row above
constexpr Index kLagReset = 7; // the copies overwrite the first sweep's results
constexpr Index kLagPressure = 7;
constexpr Index kLagViscosity = 8; // reads the row above; the last loop to finish
constexpr Index kStages = 10;

/// Prefetches some rows of the first loop's inputs.
void ask_for(const Pass &pass, Rows rows) {
  const Level &from = pass.level0;
  for (const double *field :
       {from.density, from.energy, from.u, from.v, pass.pressure, pass.viscosity})
    for (Index j = rows.begin; j < std::min(rows.end, pass.grid->ny); ++j)
      for (Index i = 0; i < pass.grid->nx; i += 8)
        __builtin_prefetch(field + j * pass.grid->stride + i, 0, 2);
}

/// Tracks how far each loop has come.
class Front {
public:
  Front(const Pass &pass, const Plan &plan)
      : pass_(pass), rows_(pass.grid->ny), band_(plan.band), asks_(plan.ahead) {}

  /// Returns whether any loop has rows left; if so, lets the first loop advance by one more band.
  bool next() {
    if (stages_ != 0 && done_[stages_ - 1] == rows_)
      return false;
    head_ = band_ > 0 ? head_ + band_ : rows_ + kLagViscosity + 1;
    stages_ = 0;
    return true;
  }
  /// Runs the next loop `lag` rows behind the first: calls `work` with its rows of cells, or of
  /// nodes, if there are any. The last loop runs over cells.
  template <class Work> void over_cells(Index lag, const Work &work) { go(lag, rows_, work); }
  template <class Work> void over_nodes(Index lag, const Work &work) { go(lag, rows_ + 1, work); }

private:
  template <class Work> void go(Index lag, Index all, const Work &work) {
    if (asks_ && band_ > 0) // prefetches a share of the next band at a time, so that loops do not
                            // wait for memory
      ask_for(pass_, {head_ + band_ * static_cast<Index>(stages_) / kStages,
                      head_ + band_ * static_cast<Index>(stages_ + 1) / kStages});
    Index &done = done_[stages_++];
    const Rows rows{done, std::clamp(head_ - lag, done, all)};
    done = rows.end;
    if (rows.begin < rows.end)
      work(rows);
  }

  const Pass &pass_;
  const Index rows_;
  const Index band_;
  const bool asks_;
  Index head_ = 0;
  std::size_t stages_ = 0;
  std::array<Index, kStages> done_{};
};

/// The loops of one iteration, each as a call for some rows.
struct Loops {
  const Pass &pass;
  const Grid *grid;
  const Kernels &call;
  Level start, moved, half, end;
  Fluxes flux;

  void mirror(double *field, Rows rows, const Mirrors &mirrors) const {
    reflect(*grid, field, rows, mirrors);
  }
  void mirror_cells(const Level &level, Rows rows) const {
    mirror(level.density, rows, kScalar);
    mirror(level.energy, rows, kScalar);
  }
  void mirror_nodes(const Level &level, Rows rows) const {
    mirror(level.u, rows, kVelocityX);
    mirror(level.v, rows, kVelocityY);
  }

  void predict(Rows rows, bool fused) const {
    const double dt = 0.5 * pass.dt;
    if (fused) {
      call.predict(grid, rows, dt, start.density, start.energy, pass.viscosity, start.u, start.v,
                   pass.pressure);
    } else {
      pdv(rows, dt, start);
      call.ideal_gas(grid, rows, pass.tile, moved.density, moved.energy, pass.pressure,
                     pass.sound_speed);
    }
    mirror(pass.pressure, rows, kScalar);
  }
  void pdv(Rows rows, double dt, const Level &to) const {
    call.pdv(grid, rows, pass.tile, dt, start.density, start.energy, pass.pressure, pass.viscosity,
             start.u, to.u, start.v, to.v, moved.density, moved.energy);
  }
  void accelerate(Rows rows) const {
    call.accelerate(grid, rows, pass.tile, pass.dt, start.density, pass.pressure, pass.viscosity,
                    start.u, start.v, moved.u, moved.v);
    mirror_nodes(moved, rows);
  }
  void correct(Rows rows, bool fused) const {
    if (fused) {
      call.correct(grid, rows, pass.dt, start.density, start.energy, pass.pressure, pass.viscosity,
                   start.u, moved.u, start.v, moved.v, moved.density, moved.energy, flux.volume_x,
                   flux.volume_y);
    } else {
      pdv(rows, pass.dt, moved);
      call.fluxes(grid, rows, pass.tile, pass.dt, start.u, moved.u, start.v, moved.v, flux.volume_x,
                  flux.volume_y);
    }
    if (rows.end == grid->ny) // at a wall; a window had another row there
      std::fill_n(flux.volume_y + grid->ny * grid->stride - kHalo, grid->nx + 2 * kHalo + 1, 0.0);
    mirror_cells(moved, rows);
    mirror(flux.volume_x, rows, kFluxX);
    mirror(flux.volume_y, rows, kFluxY);
  }
  void cells(Rows rows, bool along_x, bool is_first) const {
    const Level &from = is_first ? moved : half;
    const Level &to = is_first ? half : end;
    (along_x ? call.advect_cells_x : call.advect_cells_y)(
        grid, rows, pass.tile, is_first, flux.volume_x, flux.volume_y, from.density, from.energy,
        to.density, to.energy, along_x ? flux.mass_x : flux.mass_y);
    mirror_cells(to, rows);
    if (along_x)
      mirror(flux.mass_x, rows, kFluxX);
    else // including the last row's upper faces
      mirror(flux.mass_y, {rows.begin, rows.end + 1}, kFluxY);
  }
  void momentum(Rows rows, bool along_x, bool is_first) const {
    const Level &from = is_first ? moved : half;
    const Level &to = is_first ? half : end;
    if (along_x)
      call.advect_momentum_x(grid, rows, pass.tile, is_first, flux.volume_y, flux.mass_x,
                             to.density, from.u, from.v, to.u, to.v);
    else
      call.advect_momentum_y(grid, rows, pass.tile, is_first, flux.volume_x, flux.mass_y,
                             to.density, from.u, from.v, to.u, to.v);
    mirror_nodes(to, rows);
  }
  void reset(Rows rows) const {
    call.reset(grid, rows, pass.tile, end.density, end.energy, end.u, end.v, start.density,
               start.energy, start.u, start.v);
    mirror_cells(start, {rows.begin, std::min(rows.end, grid->ny)});
  }
  void pressure(Rows rows, bool fused) const {
    if (fused)
      call.pressure(grid, rows, end.density, end.energy, pass.pressure);
    else
      call.ideal_gas(grid, rows, pass.tile, end.density, end.energy, pass.pressure,
                     pass.sound_speed);
    mirror(pass.pressure, rows, kScalar);
  }
  void viscosity(Rows rows, bool fused) const {
    if (fused) {
      call.viscous_step(grid, rows, end.density, end.energy, pass.pressure, end.u, end.v,
                        pass.viscosity, pass.columns);
    } else {
      call.viscosity(grid, rows, pass.tile, end.density, pass.pressure, end.u, end.v,
                     pass.viscosity);
      call.time_step(grid, rows, pass.tile, end.density, pass.sound_speed, pass.viscosity, end.u,
                     end.v, pass.columns);
    }
    mirror(pass.viscosity, rows, kScalar);
  }
};

void run(const Pass &pass, const Plan &plan, const Loops &loops) {
  Front front(pass, plan);
  const Lags &lags = pass.x_first ? kXFirst : kYFirst;
  const bool x = pass.x_first;
  while (front.next()) {
    front.over_cells(0, [&](Rows rows) { loops.predict(rows, plan.predict); });
    front.over_nodes(0, [&](Rows rows) { loops.accelerate(rows); });
    front.over_cells(kLagMove, [&](Rows rows) { loops.correct(rows, plan.correct); });
    front.over_cells(lags.cells_first, [&](Rows rows) { loops.cells(rows, x, true); });
    front.over_nodes(lags.momentum_first, [&](Rows rows) { loops.momentum(rows, x, true); });
    front.over_cells(lags.cells_second, [&](Rows rows) { loops.cells(rows, !x, false); });
    front.over_nodes(lags.momentum_second, [&](Rows rows) { loops.momentum(rows, !x, false); });
    if (plan.store == Store::copied)
      front.over_nodes(kLagReset, [&](Rows rows) { loops.reset(rows); });
    front.over_cells(kLagPressure, [&](Rows rows) { loops.pressure(rows, plan.time_step); });
    front.over_cells(kLagViscosity, [&](Rows rows) { loops.viscosity(rows, plan.time_step); });
  }
}

} // namespace
} // namespace hydro

extern "C" SARTOR_HANDLER void hydro_pass(hydro::Pass *pass) {
  using hydro::Level;
  using hydro::Store;
  const hydro::Plan &given = pass->plan;
  hydro::Plan plan{
      .band = sartor_enum("band", given.band, 0, 2, 4, 8, 16, 32, 64, 128, 256),
      .store = sartor_enum("store", given.store, Store::copied, Store::exchanged, Store::in_place),
      .predict = sartor_enum("predict", given.predict, false, true),
      .correct = sartor_enum("correct", given.correct, false, true),
      .time_step = sartor_enum("time_step", given.time_step, false, true),
      .ahead = sartor_enum("ahead", given.ahead, false, true),
  };
  if (plan.band < 1 || plan.band > hydro::kHighestBand)
    plan.store = std::min(plan.store, Store::exchanged);
  const bool in_place = plan.store == Store::in_place;
  const Level &moved = in_place ? pass->window.moved : pass->level1;
  const Level &half = in_place ? pass->window.half_mapped : pass->level0;
  const Level &end = in_place ? pass->level0 : pass->level1;
  hydro::run(*pass, plan,
             {*pass, pass->grid, *pass->kernels, pass->level0, moved, half, end,
              in_place ? pass->window.fluxes : pass->fluxes});
  pass->is_exchanged = plan.store == Store::exchanged;
}
