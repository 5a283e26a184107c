// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_SETTLE_H
#define SARTOR_BASE_SETTLE_H

#include <chrono>

namespace sartor::base {

/// Why not all threads are known to have gone on.
enum class Settled : unsigned char {
  yes,
  too_busy,       ///< A thread got no processor.
  no_descriptors, ///< The process or the system has no file descriptor left to look at threads.
};

/// Waits until no thread of this process is any more between two instructions that it had begun
/// with before: what was written before this was called is seen by whatever reads it from now on,
/// and who has read what was there before has gone on. So a check and the store behind it need say
/// nothing of themselves. A system call that a thread is in counts as gone on. Where the process
/// may not read which one that is (it has dropped its privileges), so does sleep. Waits at most so
/// long; takes milliseconds where threads compute.
Settled settle(std::chrono::nanoseconds at_most);

} // namespace sartor::base

#endif
