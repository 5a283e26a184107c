// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_WATCHES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_WATCHES_H

#include <cstdint>

#include <sartor/watch.h>

#include "core/request/invariant_memory.h"

namespace sartor::runtime {

/// A part of an object that a store to a watched field may change.
struct WatchedPart {
  core::Extent object;
  core::Extent part;
};

/// Adds the fields that guarded stores refer to (sartor/watch.h), of a program or of a library,
/// which stays loaded from then on.
void add_watches(const sartor_watch *begin, const sartor_watch *end);

/// From when this returns, stores to such fields ask first; settle() says when all of them do.
/// Calls of arm() are counted. Thread-safe.
void arm(const WatchedPart &part);
void disarm(const WatchedPart &part);

/// True if the compiler has placed guards at stores to all of the part.
bool is_watched(const WatchedPart &part);

} // namespace sartor::runtime

#endif
