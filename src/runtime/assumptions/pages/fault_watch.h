// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_WATCH_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_WATCH_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

#include "base/result.h"
#include "runtime/assumptions/pages/fault_descriptor.h"
#include "runtime/assumptions/pages/page_table.h"

namespace sartor::runtime {

/// The state of a thread that has stopped at a protected page, until it may continue.
struct Stopped {
  enum class State : unsigned char {
    none,     ///< The record is free.
    taken,    ///< A thread is about to fill in the record.
    fresh,    ///< FaultWatch has not examined it yet.
    reported, ///< FaultInvalidations has been notified.
    led,      ///< No call that begins from now on runs code that the write would make wrong.
  };

  std::atomic<State> state = State::none;
  PageEntry *entry = nullptr;
  Fault fault = {};
  bool inside = false;            ///< The thread is in a call of a handler.
  std::atomic<bool> late = false; ///< The page has been opened before the invalidation.
  std::chrono::steady_clock::time_point since;
};

/// Collects the threads that have stopped at protected pages and owns the kernel's descriptor. Its
/// thread never waits for another thread, takes no lock that a stopped thread may hold, and
/// allocates no memory. It lets a stopped thread go if FaultInvalidations does not finish in time.
/// A second thread reads from the descriptor.
class FaultWatch {
public:
  static FaultWatch &instance();

  /// Starts the threads. The descriptor `descriptor` is owned by this object's thread from then on,
  /// and is open if the process may have one; returns 0, or the error's number if it may not. Fails
  /// with no_thread. It must be called again in a child process.
  Result<int> start(FaultDescriptor &descriptor);
  /// Reports a thread that has stopped. May be called in a signal handler; waits while all records
  /// are in use.
  void report(const Fault &fault);
  /// Called when a record has become free.
  void note_free() { free_.ring(); }
  /// The record with this number, as reported to FaultInvalidations.
  Stopped &stopped(std::size_t number) { return stopped_[number]; }

  static constexpr std::size_t kMost = 256;

private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void run();
  [[noreturn]] void read();
  void take(Stopped &stopped);
  /// Returns whether a thread is waiting.
  bool look_at_time();
  static void let_go(Stopped &stopped);

  FaultDescriptor *descriptor_ = nullptr;
  std::atomic<int> opened_{-1}; ///< 0 or an error's number once known, -1 before.
  base::Bell open_, free_;
  std::array<Stopped, kMost> stopped_;
};

} // namespace sartor::runtime

#endif
