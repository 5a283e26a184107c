// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_STREAM_H
#define HYDRO_STREAM_H

#include <cstdint>
#include <cstring>

#include <sartor/points.h>

#include "advect.h"
#include "grid.h"

/// True if rows of results bypass the caches: memory is then not read before it is written, and
/// data needed next stays cached. The native code does not bypass them.
#define HYDRO_STREAM() sartor_enum("stream", false, false, true)

namespace hydro {

/// A row of results, computed either at its destination or in a buffer that is then written past
/// the caches.
class Row {
public:
  /// Returns where to put `count` numbers (at most kWidestRow) whose destination is `place`.
  [[gnu::always_inline]] double *begin(double *place, bool streams) {
    return streams ? numbers_ : place;
  }
  /// Completes the row after all its numbers have been written.
  [[gnu::always_inline]] void end(double *place, Index count, bool streams) const {
    if (streams)
      stream(place, count);
  }

private:
  void stream(double *to, Index count) const {
    using Line = double __attribute__((vector_size(64)));
    Index k = 0;
    for (; k < count && reinterpret_cast<std::uintptr_t>(to + k) % sizeof(Line) != 0; ++k)
      to[k] = numbers_[k];
    for (; k + 8 <= count; k += 8) {
      Line line;
      std::memcpy(&line, numbers_ + k, sizeof line);
      __builtin_nontemporal_store(line, reinterpret_cast<Line *>(to + k));
    }
    for (; k < count; ++k)
      to[k] = numbers_[k];
  }

  double numbers_[kWidestRow];
};

} // namespace hydro

#endif
