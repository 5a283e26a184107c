// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ENGINE_SETTLE_H
#define SARTOR_ENGINE_SETTLE_H

#include <chrono>

namespace sartor::engine {

/// Waits until no thread of this process is any more between two instructions that it had begun
/// with before: what was written before this was called is seen by whatever reads it from now on,
/// and who has read what was there before has gone on. So a check and the store behind it need say
/// nothing of themselves. False if some thread gets no processor for so long; a system call that it
/// is in counts as gone on. Takes milliseconds where threads compute.
bool settle(std::chrono::nanoseconds at_most);

} // namespace sartor::engine

#endif
