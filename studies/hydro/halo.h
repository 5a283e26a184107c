// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_HALO_H
#define HYDRO_HALO_H

#include <array>
#include <cstdint>

#include "grid.h"
#include "kernels.h"

namespace hydro {

/// How a field continues beyond a wall, by axis.
enum class Mirror : std::uint8_t {
  cells,        ///< Its numbers lie half a cell from the wall.
  edges,        ///< A number lies on the wall.
  edges_negated ///< The same, and turns its sign: what is perpendicular to the wall.
};

/// By axis: x, y.
using Mirrors = std::array<Mirror, 2>;

inline constexpr Mirrors kScalar{Mirror::cells, Mirror::cells};
inline constexpr Mirrors kVelocityX{Mirror::edges_negated, Mirror::edges};
inline constexpr Mirrors kVelocityY{Mirror::edges, Mirror::edges_negated};
inline constexpr Mirrors kFluxX{Mirror::edges_negated, Mirror::cells};
inline constexpr Mirrors kFluxY{Mirror::cells, Mirror::edges_negated};

/// Fills what mirrors `rows` of a field, which are complete: the halo on their left and right, and
/// the rows of the halo that show them. `field` is where (0, 0) is. When all rows have been
/// reflected, so has the field.
void reflect(const Grid &grid, double *field, Rows rows, const Mirrors &mirrors);

} // namespace hydro

#endif
