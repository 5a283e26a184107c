// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_HOLDING_TANK_H
#define SARTOR_RUNTIME_DISPATCH_HOLDING_TANK_H

#include <chrono>
#include <cstdint>
#include <memory>

#include "runtime/dispatch/holding.h"

namespace sartor::runtime {

class Entry;

/// Holds the calls of an entry while it exists. The entry points to one of its ways in, which can
/// be called like the handler and keep all arguments; a call continues in the active code behind
/// the tank when the tank is opened, or the time limit has passed. A held thread counts as blocked,
/// so that no thread waits for it. Threads that cannot count as blocked (within another handler, on
/// another stack) are not held, nor is the thread that has created the tank, whose own calls would
/// wait for itself. The caller must hold the runtime's lock; calls wait without any lock, and may
/// come from a signal handler.
class HoldingTank {
public:
  /// `entry` must outlive all calls that may be running. Returns null if calls cannot be held: too
  /// many entries hold theirs, or the processor's registers cannot be saved.
  static std::unique_ptr<HoldingTank> close(const Entry &entry, const Holding &how);
  /// Opens the tank.
  ~HoldingTank();
  HoldingTank(const HoldingTank &) = delete;
  HoldingTank &operator=(const HoldingTank &) = delete;

  /// The way in for direct calls, or for calls by handles and entry functions.
  [[nodiscard]] void *way_in(bool direct) const;
  [[nodiscard]] std::uint64_t held() const;
  [[nodiscard]] std::chrono::nanoseconds longest() const;
  /// True if the time limit has not passed.
  [[nodiscard]] bool is_in_time() const;

  struct Place;

private:
  explicit HoldingTank(Place &place) : place_(place) {}

  Place &place_;
};

} // namespace sartor::runtime

#endif
