// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_RETIRE_H
#define SARTOR_RUNTIME_DISPATCH_RETIRE_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <sartor/read_section.hpp>

#include "base/thread/mutex.h"

namespace sartor::runtime {

/// Drops a reference, to a variant or to an object that refers to some, once no thread is in a read
/// section that began before this call: no thread can then be inside the variant because of this
/// reference (M. Desnoyers et al., "User-Level Implementations of Read-Copy Update", IEEE TPDS
/// 23(2), 2012). Returns at once; a separate thread waits. A call that does not return for seconds
/// is reported as `stalled`. A thread that is blocked within a handler delays only references that
/// it may use: those without a `stamp`, or with one that is older (base/readers.h) than its wait,
/// and one reference for each object.
void retire(std::shared_ptr<const void> object, std::uint64_t stamp = 0);

/// Must be called before the first retire(), where no base::Mutex is held: it registers for events
/// of the process's life.
void begin_retiring() SARTOR_EXCLUDES(base::any_mutex);

/// The number of references that have been retired and not yet dropped.
std::size_t retired_now();

/// Waits until all references retired so far are dropped, at most this long. Returns false if the
/// time has passed. Must not be called within a handler.
bool wait_for_retired(std::chrono::nanoseconds at_most = std::chrono::hours(24 * 365))
    SARTOR_EXCLUDES(base::any_mutex);

/// Waits until every running read section has ended: no thread is then inside a variant that is no
/// longer active. Otherwise as wait_for_retired().
bool wait_for_readers(std::chrono::nanoseconds at_most = std::chrono::hours(24 * 365))
    SARTOR_EXCLUDES(base::any_mutex);

/// As wait_for_readers(), without waiting for threads that are blocked within a handler. Returns
/// true if there are none; if there are, deactivated code is needed when they continue.
bool wait_for_running_readers() SARTOR_EXCLUDES(base::any_mutex);

/// While one exists, wait_for_readers() waits for it as for a handler: for threads that read the
/// program's memory without a call of a handler.
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
