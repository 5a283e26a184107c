// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_DISPATCH_RETIRE_H
#define SARTOR_DISPATCH_RETIRE_H

#include <memory>

#include <sartor/read_section.hpp>

namespace sartor::dispatch {

/// Drops a reference, to a variant or to what has some, once no thread is in a read section that
/// began before now: no thread can then be inside the variant on the strength of this reference (M.
/// Desnoyers et al., "User-Level Implementations of Read-Copy Update", IEEE TPDS 23(2), 2012).
/// Returns at once; the waiting is done on liburcu's call_rcu thread.
void retire(std::shared_ptr<const void> object);

/// Waits until all references retired so far are dropped. Not from within a handler.
void wait_for_retired();

/// Waits until every read section that is under way has ended: no thread is then inside a variant
/// that is not in force any more. Not from within a handler.
void wait_for_readers();

/// Whether this thread is within a handler.
bool inside_handler();

/// While one exists, wait_for_readers() waits, as it does for a handler: for threads that read the
/// program's memory without calling one.
class Reading {
public:
  Reading() = default;
  ~Reading();
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;

private:
  detail::ReadSection section_;
};

} // namespace sartor::dispatch

#endif
