// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halo.h"

namespace hydro {

namespace {

/// Calls `copy(to, from, sign)` for each element before or behind the `cells` of an axis.
template <class Copy> void mirror(Index cells, Mirror how, const Copy &copy) {
  const double sign = how == Mirror::edges_negated ? -1 : 1;
  for (Index k = 0; k < kHalo; ++k)
    if (how == Mirror::cells) {
      copy(-1 - k, k, sign);
      copy(cells + k, cells - 1 - k, sign);
    } else {
      copy(-1 - k, 1 + k, sign);
      copy(cells + 1 + k, cells - 1 - k, sign);
    }
}

} // namespace

void reflect(const Grid &grid, double *field, Rows rows, const Mirrors &mirrors) {
  const Index up = grid.stride;
  for (Index j = rows.begin; j < rows.end; ++j)
    mirror(grid.nx, mirrors[0], [&](Index to, Index from, double sign) {
      field[j * up + to] = sign * field[j * up + from];
    });
  mirror(grid.ny, mirrors[1], [&](Index to, Index from, double sign) {
    if (from >= rows.begin && from < rows.end)
      for (Index i = -kHalo; i <= grid.nx + kHalo; ++i)
        field[to * up + i] = sign * field[from * up + i];
  });
}

} // namespace hydro
