// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Transport of mass and energy through the faces of cells.
#include <cmath>

#include "advect.h"
#include "kernels.h"
#include "stream.h"
#include "tiles.h"

using hydro::Grid;
using hydro::Index;
using hydro::Rows;
using hydro::Tile;

namespace {

/// One direction: `along` is the distance to the next cell in it, `across` that in the other.
struct Sweep {
  Index along;
  Index across;
  double volume;
  double others; ///< 1 if the other direction has not been swept yet, else 0.
  const double *flux_along;
  const double *flux_across;
  const double *density;
  const double *energy;

  /// Volume of a cell after its own movement and the remaining movement of the other direction.
  [[nodiscard]] double volume_before(Index c) const {
    return volume + ((flux_along[c + along] - flux_along[c]) +
                     others * (flux_across[c + across] - flux_across[c]));
  }

  struct Through {
    double mass;
    double energy;
  };
  /// The flux through the face between cells c - along and c.
  [[nodiscard]] Through through(Index c) const {
    const double flux = flux_along[c];
    const bool rightwards = flux > 0;
    // Both sides are loaded and one is selected: a conditional load would keep loops from being
    // vectorized.
    const hydro::Around densities = hydro::around(density, c, along);
    const double left_volume = volume_before(c - along);
    const double right_volume = volume_before(c);
    const double donor_volume = rightwards ? left_volume : right_volume;
    const double donor_density = rightwards ? densities.left : densities.right;
    const double mass = flux * densities.carried_by(std::fabs(flux) / donor_volume, rightwards);
    const double share = std::fabs(mass) / (donor_density * donor_volume);
    return {mass, mass * hydro::around(energy, c, along).carried_by(share, rightwards)};
  }

  struct Cell {
    double density;
    double energy;
  };
  [[nodiscard]] Cell after(Index c, Through in, Through out) const {
    const double before = volume_before(c);
    const double mass_before = density[c] * before;
    const double mass = mass_before + in.mass - out.mass;
    return {mass / (before + flux_along[c] - flux_along[c + along]),
            (energy[c] * mass_before + in.energy - out.energy) / mass};
  }
};

} // namespace

extern "C" SARTOR_HANDLER void
hydro_advect_cells_x(const Grid *grid, Rows rows, Tile tile, bool is_first,
                     const double *__restrict volume_flux_x, const double *__restrict volume_flux_y,
                     const double *__restrict density, const double *__restrict energy,
                     double *__restrict new_density, double *__restrict new_energy,
                     double *__restrict mass_flux_x) {
  const Index up = grid->stride;
  const Sweep sweep{
      1,       up,    grid->dx * grid->dy, is_first ? 1.0 : 0.0, volume_flux_x, volume_flux_y,
      density, energy};
  Tile size = HYDRO_TILE("7", tile);
  size.i = std::min(size.i, hydro::kWidestRow);
  const bool streams = HYDRO_STREAM();
  double energy_flux[hydro::kWidestRow + 1];
  hydro::Row row_density;
  hydro::Row row_energy;
  over_pieces(cells(*grid, rows), size, up, [&](Index c, Index count) HYDRO_INLINE {
    double *const to_density = row_density.begin(new_density + c, streams);
    double *const to_energy = row_energy.begin(new_energy + c, streams);
    for (Index k = 0; k <= count; ++k) {
      const Sweep::Through face = sweep.through(c + k);
      mass_flux_x[c + k] = face.mass;
      energy_flux[k] = face.energy;
    }
    for (Index k = 0; k < count; ++k) {
      const Sweep::Cell cell = sweep.after(c + k, {mass_flux_x[c + k], energy_flux[k]},
                                           {mass_flux_x[c + k + 1], energy_flux[k + 1]});
      to_density[k] = cell.density;
      to_energy[k] = cell.energy;
    }
    row_density.end(new_density + c, count, streams);
    row_energy.end(new_energy + c, count, streams);
  });
}

extern "C" SARTOR_HANDLER void
hydro_advect_cells_y(const Grid *grid, Rows rows, Tile tile, bool is_first,
                     const double *__restrict volume_flux_x, const double *__restrict volume_flux_y,
                     const double *__restrict density, const double *__restrict energy,
                     double *__restrict new_density, double *__restrict new_energy,
                     double *__restrict mass_flux_y) {
  const Index up = grid->stride;
  const Sweep sweep{
      up,      1,     grid->dx * grid->dy, is_first ? 1.0 : 0.0, volume_flux_y, volume_flux_x,
      density, energy};
  Tile size = HYDRO_TILE("8", tile);
  size.i = std::min(size.i, hydro::kWidestRow);
  const bool streams = HYDRO_STREAM();
  hydro::Row row_density;
  hydro::Row row_energy;
  double mass_below[hydro::kWidestRow];
  double energy_below[hydro::kWidestRow];
  over_tiles(cells(*grid, rows), size,
             [&](Index i, Index j, Index count, Index height) HYDRO_INLINE {
               for (Index k = 0; k < count; ++k) {
                 const Index c = j * up + i + k;
                 const Sweep::Through face = sweep.through(c);
                 mass_flux_y[c] = mass_below[k] = face.mass;
                 energy_below[k] = face.energy;
               }
               for (Index row = 0; row < height; ++row) {
                 const Index first = (j + row) * up + i;
                 double *const to_density = row_density.begin(new_density + first, streams);
                 double *const to_energy = row_energy.begin(new_energy + first, streams);
                 for (Index k = 0; k < count; ++k) {
                   const Index c = first + k;
                   const Sweep::Through above = sweep.through(c + up);
                   const Sweep::Cell cell = sweep.after(c, {mass_below[k], energy_below[k]}, above);
                   to_density[k] = cell.density;
                   to_energy[k] = cell.energy;
                   mass_flux_y[c + up] = mass_below[k] = above.mass;
                   energy_below[k] = above.energy;
                 }
                 row_density.end(new_density + first, count, streams);
                 row_energy.end(new_energy + first, count, streams);
               }
             });
}
