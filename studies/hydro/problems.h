// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_PROBLEMS_H
#define HYDRO_PROBLEMS_H

#include "gas.h"
#include "riemann.h"
#include "simulation.h"

/// \file Initial states of simulations.
namespace hydro {

inline Initial at_rest(double density, double pressure) {
  return {density, pressure / ((kGamma - 1) * density)};
}

/// Sod's shock tube (J. Comput. Phys. 27, 1978): a membrane in the middle of the box.
inline constexpr Gas kSodLeft{1, 0, 1};
inline constexpr Gas kSodRight{0.125, 0, 0.1};
/// The time at which the solution is compared: no wave has reached a wall of a box from 0 to 1.
inline constexpr double kSodTime = 0.2;

inline Initial sod(double place) {
  const Gas &gas = place < 0.5 ? kSodLeft : kSodRight;
  return at_rest(gas.density, gas.pressure);
}

/// Dense gas in a corner of the box from (0, 0) to (1, 1), a quarter of its width and height: a
/// shock runs to the other walls, returns, and never comes to rest.
inline Initial corner(double x, double y) {
  return x < 0.25 && y < 0.25 ? at_rest(1, 2) : at_rest(0.2, 0.2);
}

} // namespace hydro

#endif
