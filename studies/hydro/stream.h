// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_STREAM_H
#define HYDRO_STREAM_H

#include <cstdint>
#include <cstring>

#include <sartor/points.h>

#include "advect.h"
#include "grid.h"

/// Whether rows of results go past the caches: memory is then not read before it is written, and
/// what is read next stays in the caches. The program's own code does not.
#define HYDRO_STREAM() sartor_enum("stream", false, false, true)

namespace hydro {

/// A row of results: either it is made where it belongs, or beside, and written past the caches.
class Row {
public:
  /// Where to put `count` numbers (at most kWidestRow) that belong to `place`.
  [[gnu::always_inline]] double *begin(double *place, bool streams) {
    return streams ? numbers_ : place;
  }
  /// They are all there.
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
