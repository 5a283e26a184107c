// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_JUMPS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_JUMPS_H

namespace sartor::isolate {

/// Asks for the C library's own longjmp() and its like, while that can be done: whoever jumps may
/// handle a signal.
void find_jumps();

} // namespace sartor::isolate

#endif
