// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_RIEMANN_H
#define HYDRO_RIEMANN_H

namespace hydro {

/// The state of a gas: density, velocity and pressure.
struct Gas {
  double density;
  double velocity;
  double pressure;
};

/// The exact solution of the Riemann problem for the ideal gas (Toro, "Riemann Solvers and
/// Numerical Methods for Fluid Dynamics", chapter 4): the state at `speed` = (x - x0) / t if the
/// membrane at x0 is removed at t = 0. Problems in which a vacuum forms are not supported.
Gas riemann(const Gas &left, const Gas &right, double speed);

} // namespace hydro

#endif
