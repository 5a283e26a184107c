// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_RETIRE_H
#define SARTOR_RUNTIME_DISPATCH_RETIRE_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <sartor/read_section.hpp>

#include "base/mutex.h"

namespace sartor::runtime {

/// Drops a reference, to a variant or to what has some, once no thread is in a read section that
/// began before now: no thread can then be inside the variant on the strength of this reference (M.
/// Desnoyers et al., "User-Level Implementations of Read-Copy Update", IEEE TPDS 23(2), 2012).
/// Returns at once; the waiting is done on a thread of its own. A call that does not return for
/// seconds is reported as `stalled`. A thread that is blocked within a handler delays only what it
/// may use: what has an older `stamp` (base/readers.h) than its wait, or none, and of each object
/// one reference.
void retire(std::shared_ptr<const void> object, std::uint32_t stamp = 0);

/// To be called before the first retire(), and where no base::Mutex is held: from then on, the
/// process's life is watched for what waits.
void begin_retiring() SARTOR_EXCLUDES(base::any_mutex);

/// References that have been retired and not yet dropped.
std::size_t retired_now();

/// Waits until all references retired so far are dropped, at most so long. False if they are not.
/// Not from within a handler.
bool wait_for_retired(std::chrono::nanoseconds at_most = std::chrono::hours(24 * 365))
    SARTOR_EXCLUDES(base::any_mutex);

/// Waits until every read section that is under way has ended: no thread is then inside a variant
/// that is not in force any more. The same.
bool wait_for_readers(std::chrono::nanoseconds at_most = std::chrono::hours(24 * 365))
    SARTOR_EXCLUDES(base::any_mutex);

/// The same, but for threads that are blocked within a handler. Whether there are none of these: if
/// there are, what is out of force is needed when they go on.
bool wait_for_running_readers() SARTOR_EXCLUDES(base::any_mutex);

/// While one exists, wait_for_readers() waits, as it does for a handler: for threads that read the
/// program's memory without calling one.
class Reading {
public:
  Reading() = default;
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;

private:
  detail::ReadSection section_{false}; // its frame is not the caller's
};

} // namespace sartor::runtime

#endif
