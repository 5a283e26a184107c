// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_HOLDING_TANK_H
#define SARTOR_RUNTIME_DISPATCH_HOLDING_TANK_H

#include <chrono>
#include <cstdint>
#include <memory>

#include "runtime/dispatch/holding.h"

namespace sartor::runtime {

class Entry;

/// Where calls of an entry wait while it exists: the entry leads them to one of its ways in, which
/// are as callable as the handler, keep all arguments, and go on to what is in force behind the
/// tank when that is opened, or the time is up. Who waits counts as blocked, so that nobody waits
/// for it; who could not (within another handler, on another stack) is not held, nor is the thread
/// that has made the tank, whose own calls would wait for itself. To be used with the runtime's
/// lock held; calls wait without any lock, and may be a signal handler's.
class HoldingTank {
public:
  /// `entry` must outlive all calls that may be under way. Null where nobody can be held: too many
  /// entries hold theirs, or the processor's registers cannot be kept.
  static std::unique_ptr<HoldingTank> close(const Entry &entry, const Holding &how);
  /// Opens it.
  ~HoldingTank();
  HoldingTank(const HoldingTank &) = delete;
  HoldingTank &operator=(const HoldingTank &) = delete;

  /// Of calls by handles and entry functions, or of direct calls.
  [[nodiscard]] void *way_in(bool direct) const;
  [[nodiscard]] std::uint64_t held() const;
  [[nodiscard]] std::chrono::nanoseconds longest() const;
  /// Whether the time has not been up yet.
  [[nodiscard]] bool is_in_time() const;

  struct Place;

private:
  explicit HoldingTank(Place &place) : place_(place) {}

  Place &place_;
};

} // namespace sartor::runtime

#endif
