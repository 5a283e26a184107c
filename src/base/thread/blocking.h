// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_BLOCKING_H
#define SARTOR_BASE_THREAD_BLOCKING_H

namespace sartor::base {

/// To be called after the begin of a grace period and before the search for readers that are not
/// blocked: blocked readers notice the invalidation when they continue. Thread-safe.
void note_invalidation();

} // namespace sartor::base

#endif
