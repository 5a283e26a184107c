// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_LAGRANGE_H
#define HYDRO_LAGRANGE_H

#include <algorithm>
#include <cmath>

#include "gas.h"
#include "grid.h"

/// \file The computation for one element in the Lagrangian half of a step, shared by the loops and
/// their fusions: the same arithmetic in the same order, hence the same bits.
namespace hydro {

inline double pressure_of(double density, double energy) { return (kGamma - 1) * density * energy; }
inline double sound_speed_of(double energy) { return std::sqrt(kGamma * (kGamma - 1) * energy); }

/// Sums four numbers around a node or a cell in an order for which neither mirroring nor exchanging
/// the axes changes the last bit.
inline double sum4(double low_left, double low_right, double high_left, double high_right) {
  return (low_left + high_right) + (low_right + high_left);
}

/// The mean over the left (or lower) side of a cell.
inline double side(const double *v, Index c, Index along) { return 0.5 * (v[c] + v[c + along]); }

/// Velocities through the sides of a cell.
struct Sides {
  double left;
  double right;
  double bottom;
  double top;
};
inline Sides sides(const double *u, const double *v, Index c, Index up) {
  return {side(u, c, up), side(u, c + 1, up), side(v, c, 1), side(v, c + up, 1)};
}

/// The artificial viscosity's pressure.
inline double viscosity_at(const double *density, const double *pressure, const double *u,
                           const double *v, Index c, Index up, double dx, double dy) {
  const Sides through = sides(u, v, c, up);
  const double u_x = (through.right - through.left) / dx;
  const double v_y = (through.top - through.bottom) / dy;
  const double shear =
      (side(u, c + up, 1) - side(u, c, 1)) / dy + (side(v, c + 1, up) - side(v, c, up)) / dx;
  const double p_x = (pressure[c + 1] - pressure[c - 1]) / (2 * dx);
  const double p_y = (pressure[c + up] - pressure[c - up]) / (2 * dy);
  const double slope2 = std::max(p_x * p_x + p_y * p_y, kTiny);
  // The rate, and the length along which the cell is compressed in the direction of the pressure's
  // gradient.
  const double rate = ((u_x * (p_x * p_x) + v_y * (p_y * p_y)) + shear * (p_x * p_y)) / slope2;
  const double length2 =
      slope2 * std::min(dx * dx / std::max(p_x * p_x, kTiny), dy * dy / std::max(p_y * p_y, kTiny));
  const double q = kViscosity * density[c] * length2 * (rate * rate);
  return std::max(rate, u_x + v_y) < 0 ? q : 0;
}

/// The rate at which a cell changes, in 1 / time.
inline double rate_at(double density, double sound_speed, double viscosity, const Sides &through,
                      double dx, double dy) {
  const double sound = std::sqrt(sound_speed * sound_speed + 2 * viscosity / density);
  const double by_sound = sound / (kCourant * std::min(dx, dy));
  const double by_flow =
      std::max(std::max(std::fabs(through.left), std::fabs(through.right)) / (kMostFlow * dx),
               std::max(std::fabs(through.bottom), std::fabs(through.top)) / (kMostFlow * dy));
  const double by_compression =
      -((through.right - through.left) / dx + (through.top - through.bottom) / dy) /
      kMostCompression;
  return std::max(std::max(by_sound, by_flow), by_compression);
}

/// The volumes that pass through the sides of a cell during a step, with the mean of the velocities
/// at its beginning and its end.
struct Passage {
  double x_area; ///< Half the time step (for the sum of both velocities) times the side's length.
  double y_area;

  Passage(const Grid &grid, double time)
      : x_area(0.5 * time * grid.dy), y_area(0.5 * time * grid.dx) {}

  [[nodiscard]] double left(const double *u0, const double *u1, Index c, Index up) const {
    return x_area * (side(u0, c, up) + side(u1, c, up));
  }
  [[nodiscard]] double bottom(const double *v0, const double *v1, Index c) const {
    return y_area * (side(v0, c, 1) + side(v1, c, 1));
  }
};

/// A cell's volume before its sides have moved, and the increase afterwards.
struct Growth {
  double volume;
  double growth;

  Growth(double cell, const Sides &volumes)
      : volume(cell), growth((volumes.right - volumes.left) + (volumes.top - volumes.bottom)) {}

  [[nodiscard]] double density(double before) const {
    return before * (volume / (volume + growth));
  }
  /// The energy after the work of the pressures.
  [[nodiscard]] double energy(double before, double density, double pressure,
                              double viscosity) const {
    return before - (pressure + viscosity) / density * (growth / volume);
  }
};

} // namespace hydro

#endif
