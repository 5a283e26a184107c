// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_JUMPS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_JUMPS_H

namespace sartor::isolate {

/// Looks up the C library's own longjmp() and related functions early, because a lookup is not
/// possible when a signal handler jumps.
void find_jumps();

} // namespace sartor::isolate

#endif
