// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_GAS_H
#define HYDRO_GAS_H

/// \file The constants of the method.
namespace hydro {

/// The ideal gas's ratio of specific heats.
inline constexpr double kGamma = 1.4;
/// Coefficient of the artificial viscosity's quadratic term.
inline constexpr double kViscosity = 2;
/// Limits for one step: the share of a cell that sound may cross, that may flow out, and that may
/// be lost by compression.
inline constexpr double kCourant = 0.7;
inline constexpr double kMostFlow = 0.5;
inline constexpr double kMostCompression = 0.7;
/// Stands for zero in a denominator.
inline constexpr double kTiny = 1e-32;

} // namespace hydro

#endif
