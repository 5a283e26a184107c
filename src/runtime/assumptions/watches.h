// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_WATCHES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_WATCHES_H

#include <cstdint>

#include <sartor/watch.h>

#include "core/request/promised_memory.h"

namespace sartor::runtime {

/// A part of an object: what a store to a watched field may hit.
struct WatchedPart {
  core::Extent object;
  core::Extent part;
};

/// Fields that stores are guarded of (sartor/watch.h), all of a program's or a library's, which
/// stays loaded from then on.
void add_watches(const sartor_watch *begin, const sartor_watch *end);

/// From when this returns, stores to such fields ask first; settle() says when all do. Counted.
/// Thread-safe.
void arm(const WatchedPart &part);
void disarm(const WatchedPart &part);

/// Whether the compiler has placed guards at stores to all of it.
bool is_watched(const WatchedPart &part);

} // namespace sartor::runtime

#endif
