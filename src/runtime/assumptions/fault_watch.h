// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FAULT_WATCH_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FAULT_WATCH_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

#include "base/result.h"
#include "runtime/assumptions/fault_descriptor.h"
#include "runtime/assumptions/page_table.h"

namespace sartor::runtime {

/// A thread that has stopped at a protected page, until it may go on.
struct Stopped {
  enum class State : unsigned char {
    none,  ///< There is none here.
    taken, ///< Somebody is about to say who.
    fresh, ///< FaultWatch has not looked at it yet.
    told,  ///< FaultBreaks has been told.
    led,   ///< No call that begins runs what the write would make wrong.
  };

  std::atomic<State> state = State::none;
  PageEntry *entry = nullptr;
  Fault fault = {};
  bool inside = false;            ///< It is within a handler.
  std::atomic<bool> late = false; ///< The page has been opened before anything has broken.
  std::chrono::steady_clock::time_point since;
};

/// Collects the threads that have stopped at protected pages and owns the kernel's descriptor. Its
/// thread never waits for another thread, takes no lock that a stopped thread may hold, and
/// allocates no memory. It lets a stopped thread go if FaultBreaks does not finish in time. A
/// second thread reads from the descriptor.
class FaultWatch {
public:
  static FaultWatch &instance();

  /// `descriptor` is this thread's from then on, and is open if the process may have one; returns
  /// why not, else 0. Fails with no_thread. In a child it has to be started anew.
  Result<int> start(FaultDescriptor &descriptor);
  /// Of a thread that has stopped. May be called in a signal handler; waits while there are as many
  /// as can be noted.
  void tell(const Fault &fault);
  /// A place has become free.
  void note_free() { free_.ring(); }
  /// Of what FaultBreaks has been told, by number.
  Stopped &stopped(std::size_t number) { return stopped_[number]; }

  static constexpr std::size_t kMost = 256;

private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void run();
  [[noreturn]] void read();
  void take(Stopped &stopped);
  /// Returns whether anybody is waited for.
  bool look_at_time();
  static void let_go(Stopped &stopped);

  FaultDescriptor *descriptor_ = nullptr;
  std::atomic<int> opened_{-1}; ///< An error's number, once that is known.
  base::Bell open_, free_;
  std::array<Stopped, kMost> stopped_;
};

} // namespace sartor::runtime

#endif
