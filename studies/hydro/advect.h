// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_ADVECT_H
#define HYDRO_ADVECT_H

#include <algorithm>
#include <cmath>

namespace hydro {

/// The widest tile of a loop that keeps rows of intermediate results.
inline constexpr long kWidestRow = 4096;

/// The mean of the quantity that a face takes from its donor cell: that of the parabola through
/// three cells over the share `sigma` of the donor that leaves, limited to stay monotonic (van Leer
/// 1977, 1979).
inline double carried(double sigma, double upwind, double donor, double downwind) {
  const double behind = donor - upwind;
  const double ahead = downwind - donor;
  const double smaller = std::min(std::fabs(behind), std::fabs(ahead));
  const double third_order =
      ((1 + sigma) * std::fabs(behind) + (2 - sigma) * std::fabs(ahead)) * (1.0 / 6);
  const double slope = std::copysign((1 - sigma) * std::min(smaller, third_order), ahead);
  return donor + (behind * ahead > 0 ? slope : 0);
}

/// Four neighbours in the direction of a sweep; the face is between `left` and `right`.
struct Around {
  double far_left;
  double left;
  double right;
  double far_right;

  [[nodiscard]] double carried_by(double sigma, bool rightwards) const {
    return carried(sigma, rightwards ? far_left : far_right, rightwards ? left : right,
                   rightwards ? right : left);
  }
};

/// The neighbours of element c of a field, in a sweep along elements `step` apart.
inline Around around(const double *field, long c, long step) {
  return {field[c - 2 * step], field[c - step], field[c], field[c + step]};
}

} // namespace hydro

#endif
