// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_GRID_H
#define HYDRO_GRID_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

/// \file
/// The staggered grid: scalars in cells, velocities at their corners (nodes), fluxes through their
/// sides (faces). Node (i, j) is the lower left corner of cell (i, j), x face (i, j) its left side,
/// y face (i, j) its lower one.
namespace hydro {

using Index = std::int64_t;

/// Layers of cells around the grid that mirror the inner cells.
inline constexpr Index kHalo = 2;

/// A rectangle of equal cells.
struct Grid {
  Index nx = 0; ///< Number of cells in each direction.
  Index ny = 0;
  double dx = 0; ///< Lengths of their sides.
  double dy = 0;
  Index stride = 0; ///< Distance from (i, j) to (i, j + 1), in elements.

  Grid(Index cells_x, Index cells_y, double width, double height)
      : nx(cells_x), ny(cells_y), dx(width / static_cast<double>(cells_x)),
        dy(height / static_cast<double>(cells_y)), stride((cells_x + 2 * kHalo + 1 + 7) / 8 * 8) {}
};

/// One number for each cell, node or face, and for those of the halo. All kinds share one layout,
/// so one index serves for all.
class Field {
public:
  explicit Field(const Grid &grid)
      : origin_(kHalo * grid.stride + kAhead),
        numbers_(new (std::align_val_t{64}) double[size(grid)]) {
    std::fill_n(numbers_.get(), size(grid), 0.0);
  }

  /// The address of element (0, 0).
  [[nodiscard]] double *at_origin() { return numbers_.get() + origin_; }
  [[nodiscard]] const double *at_origin() const { return numbers_.get() + origin_; }

private:
  /// Rows begin at cache lines; the left halo is at the end of the previous row.
  static constexpr Index kAhead = 8;
  static std::size_t size(const Grid &grid) {
    return static_cast<std::size_t>((grid.ny + 2 * kHalo + 2) * grid.stride + 2 * kAhead);
  }
  struct Free {
    void operator()(double *numbers) const { ::operator delete[](numbers, std::align_val_t{64}); }
  };

  Index origin_;
  std::unique_ptr<double[], Free> numbers_;
};

} // namespace hydro

#endif
