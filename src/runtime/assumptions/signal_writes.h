// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_SIGNAL_WRITES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_SIGNAL_WRITES_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/life.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/request/invariant_memory.h"
#include "runtime/assumptions/permission.h"

namespace sartor::runtime {

class QuasiInvariantState;

/// Write guards in signal handlers. A signal handler may have interrupted code that holds a lock,
/// including the allocator's, so another thread deactivates code for it. Thread-safe; the functions
/// that signal handlers call neither allocate memory nor take a lock.
class SignalWrites final : base::Resident {
public:
  static SignalWrites &instance();

  /// Starts the thread, once. Must not be called in a signal handler. Fails with no_thread; then
  /// writes of signal handlers invalidate nothing, and no quasi-invariant may become valid.
  Result<void> start();

  /// Identifies a write that begin() has handed over; kNone if nothing was.
  using Number = std::uint8_t;
  static constexpr Number kNone = 255;
  struct Begun {
    Permission permission = Permission::given;
    Number number = kNone;
  };
  /// Called in a signal handler before a write to some memory. Waits until no code depends on
  /// quasi-invariants about that memory. It waits for a second at most, or not at all if the
  /// interrupted code holds an internal lock: then the write comes first, which the event log
  /// reports. `inside`: the thread is in a call of a Sartor handler. Unless the permission is
  /// Permission::none, end() must follow.
  Begun begin(core::Extent memory, bool inside);
  /// As the other begin(), for the guard of one quasi-invariant, which begin_unasked() has counted;
  /// this call ends that count.
  Begun begin(QuasiInvariantState &quasi_invariant, bool inside);
  void end(Number number);
  /// Called in a signal handler when the last writer of a quasi-invariant has ended and the
  /// quasi-invariant waits for that.
  void try_quasi_invariants();

private:
  enum class State : std::uint32_t {
    free,
    taken,    ///< A signal handler has taken the slot and is about to ask.
    asked,    ///< The signal handler waits.
    late,     ///< The signal handler has continued without an answer.
    answered, ///< The signal handler has its permission.
    ended,    ///< The signal handler has written.
    over,     ///< The signal handler has written before there was an answer.
  };
  struct Slot {
    std::atomic<std::uint32_t> state{0};
    core::Extent memory{};
    QuasiInvariantState *quasi_invariant = nullptr;
    bool inside = false;
    Permission permission = Permission::given;
    /// Used by the thread alone.
    std::vector<std::pair<std::shared_ptr<QuasiInvariantState>, Permission>> writes;
  };
  static constexpr std::size_t kSlots = 64;

  SignalWrites();
  [[noreturn]] void run();
  void look();
  void answer(Slot &slot);
  static void finish(Slot &slot);
  Begun begin(core::Extent memory, QuasiInvariantState *quasi_invariant, bool inside);
  Number take();
  void report();
  void after_fork_in_child() override;
  void resume_in_child() override;

  base::Mutex mutex_; ///< Held while the thread is started.
  std::atomic<bool> running_{false};
  bool resumes_ = false; ///< The parent of this child had the thread.
  std::atomic<bool> tries_{false};
  std::atomic<std::uint32_t> changes_{0};
  std::array<Slot, kSlots> slots_;
};

} // namespace sartor::runtime

#endif
