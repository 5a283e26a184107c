// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_RIEMANN_H
#define HYDRO_RIEMANN_H

namespace hydro {

/// A gas on one side of a membrane, or what became of it.
struct Gas {
  double density;
  double velocity;
  double pressure;
};

/// The exact solution of the Riemann problem for the ideal gas (Toro, "Riemann Solvers and
/// Numerical Methods for Fluid Dynamics", chapter 4): the state at `speed` = (x - x0) / t after the
/// membrane at x0 has gone at t = 0. Not for problems in which a vacuum opens.
Gas riemann(const Gas &left, const Gas &right, double speed);

} // namespace hydro

#endif
