// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_FAULT_WATCH_H
#define SARTOR_INVARIANT_FAULT_WATCH_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

#include "invariant/fault_descriptor.h"
#include "invariant/page_table.h"
#include "observe/result.h"

namespace sartor::invariant {

/// A thread that has stopped at a protected page, from when that is read until it may go on.
struct Stopped {
  enum class State : unsigned char {
    none, ///< There is none here.
    told, ///< FaultBreaks has been told.
    led,  ///< No call that begins runs what the write would make wrong.
  };

  std::atomic<State> state = State::none;
  PageEntry *entry = nullptr;
  Fault fault = {};
  bool inside = false;            ///< It is within a handler.
  std::atomic<bool> late = false; ///< The page has been opened before anything has broken.
  std::chrono::steady_clock::time_point since;
};

/// The thread that reads who has stopped. It never waits for anybody, takes no lock that a stopped
/// thread may have, and no memory: whom it cannot have FaultBreaks do in time, it lets go.
class FaultWatch {
public:
  static FaultWatch &instance();

  /// Fails with no_thread. In a child it has to be started anew.
  Result<void> start();
  /// Of what FaultBreaks has been told, by number.
  Stopped &stopped(std::size_t number) { return stopped_[number]; }

  static constexpr std::size_t kMost = 256; ///< Others wait until they are read.

private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void run();
  /// With somewhere to note it.
  void take(const Fault &fault, Stopped &to);
  Stopped *free_one();
  /// Returns whether anybody is waited for.
  bool look_at_time();
  static void let_go(Stopped &stopped);

  std::array<Stopped, kMost> stopped_;
};

} // namespace sartor::invariant

#endif
