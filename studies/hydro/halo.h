// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_HALO_H
#define HYDRO_HALO_H

#include <array>
#include <cstdint>

#include "grid.h"
#include "kernels.h"

namespace hydro {

/// How a field continues beyond a wall, for one axis.
enum class Mirror : std::uint8_t {
  cells,        ///< Its elements lie half a cell from the wall.
  edges,        ///< An element lies on the wall.
  edges_negated ///< As `edges`, with the sign inverted: for components perpendicular to the wall.
};

/// The mirrors of both axes: x, y.
using Mirrors = std::array<Mirror, 2>;

inline constexpr Mirrors kScalar{Mirror::cells, Mirror::cells};
inline constexpr Mirrors kVelocityX{Mirror::edges_negated, Mirror::edges};
inline constexpr Mirrors kVelocityY{Mirror::edges, Mirror::edges_negated};
inline constexpr Mirrors kFluxX{Mirror::edges_negated, Mirror::cells};
inline constexpr Mirrors kFluxY{Mirror::cells, Mirror::edges_negated};

/// Fills the elements that mirror complete `rows` of a field: the halo on their left and right, and
/// the halo rows that reflect them. `field` points to (0, 0). After all rows have been reflected,
/// the halo is complete.
void reflect(const Grid &grid, double *field, Rows rows, const Mirrors &mirrors);

} // namespace hydro

#endif
