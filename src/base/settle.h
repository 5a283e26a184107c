// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_SETTLE_H
#define SARTOR_BASE_SETTLE_H

#include <chrono>

namespace sartor::base {

/// The reason why some threads are not known to have advanced.
enum class Settled : unsigned char {
  yes,
  too_busy,       ///< A thread got no processor.
  no_descriptors, ///< The process or the system has no file descriptor left to inspect threads.
};

/// Waits until no thread of this process is any more between two instructions that it had begun to
/// execute before: earlier writes of the caller are visible to all later reads, and a thread that
/// has read an earlier value has advanced. So a check and the store after it need not register. A
/// thread in a system call counts as advanced. If the process must not read which system call that
/// is (it has dropped its privileges), a sleeping thread counts as advanced, too. Waits at most
/// `at_most`; takes milliseconds if threads compute.
Settled settle(std::chrono::nanoseconds at_most);

} // namespace sartor::base

#endif
