// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_TILES_H
#define HYDRO_TILES_H

#include <algorithm>

#include <sartor/points.h>

#include "kernels.h"

/// The possible settings of each loop's points.
#define HYDRO_TILES_I 8, 16, 32, 64, 128, 256, 512
#define HYDRO_TILES_J 1, 2, 4, 8, 16, 32, 64

/// The tile size of loop `number`: two points, `Ti<number>` and `Tj<number>`.
#define HYDRO_TILE(number, tile)                                                                   \
  hydro::Tile {                                                                                    \
    sartor_enum("Ti" number, (tile).i, HYDRO_TILES_I),                                             \
        sartor_enum("Tj" number, (tile).j, HYDRO_TILES_J)                                          \
  }

/// A side of a cell, dx or dy, which loops divide by; a variant that knows it as a power of two
/// multiplies instead.
#define HYDRO_SIDE(side) sartor_generic("side", side)

/// For a lambda: its size must not prevent inlining into the loops around it, whose constants it
/// would not know.
#define HYDRO_INLINE __attribute__((always_inline))

namespace hydro {

/// Indices in [begin, end) in both directions.
struct Box {
  Index begin_i;
  Index end_i;
  Index begin_j;
  Index end_j;
};

/// Calls `work(i, j, count, rows)` for each tile of a box with corner (i, j). Most tiles have the
/// full width, so that innermost loops of a variant have a known trip count.
template <class Work>
[[gnu::always_inline]] inline void over_tiles(const Box &box, Tile tile, const Work &work) {
  for (Index j = box.begin_j; j < box.end_j; j += tile.j) {
    const Index rows = std::min(tile.j, box.end_j - j);
    Index i = box.begin_i;
    for (; i + tile.i <= box.end_i; i += tile.i)
      work(i, j, tile.i, rows);
    if (i < box.end_i)
      work(i, j, box.end_i - i, rows);
  }
}

/// Calls `work(c, count)` for each row of each tile of a box: c is the index of its first element.
template <class Work>
[[gnu::always_inline]] inline void over_pieces(const Box &box, Tile tile, Index stride,
                                               const Work &work) {
  over_tiles(box, tile, [&](Index i, Index j, Index count, Index rows) HYDRO_INLINE {
    for (Index row = 0; row < rows; ++row)
      work((j + row) * stride + i, count);
  });
}

/// Calls `work(c, i)` for each element of each tile of a box: c is its index, i its column.
template <class Work>
[[gnu::always_inline]] inline void over_places(const Box &box, Tile tile, Index stride,
                                               const Work &work) {
  over_tiles(box, tile, [&](Index i, Index j, Index count, Index rows) HYDRO_INLINE {
    for (Index row = 0; row < rows; ++row) {
      const Index first = (j + row) * stride + i;
      for (Index k = 0; k < count; ++k)
        work(first + k, i + k);
    }
  });
}

/// The same as above, row by row.
template <class Work>
[[gnu::always_inline]] inline void over_rows(const Box &box, Index stride, const Work &work) {
  for (Index j = box.begin_j; j < box.end_j; ++j)
    for (Index i = box.begin_i; i < box.end_i; ++i)
      work(j * stride + i, i);
}

/// Some rows of cells. The next function is for nodes, of which each row has one more.
inline Box cells(const Grid &grid, Rows rows) { return {0, grid.nx, rows.begin, rows.end}; }
inline Box nodes(const Grid &grid, Rows rows) { return {0, grid.nx + 1, rows.begin, rows.end}; }

} // namespace hydro

#endif
