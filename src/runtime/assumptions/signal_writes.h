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
#include "base/mutex.h"
#include "core/request/promised_memory.h"
#include "runtime/assumptions/permission.h"

namespace sartor::runtime {

class Fact;

/// Write guards in signal handlers. A handler may have interrupted whoever holds a lock, the
/// allocator's too, so another thread takes code out of service for it. Thread-safe; what handlers
/// call takes neither memory nor a lock.
class SignalWrites final : base::Resident {
public:
  static SignalWrites &instance();

  /// Has the thread started, once. Not in a signal handler.
  void start();

  /// What begin() has handed over; none if nothing was.
  using Number = std::uint8_t;
  static constexpr Number kNone = 255;
  struct Begun {
    Permission permission = Permission::given;
    Number number = kNone;
  };
  /// In a signal handler, about to write to some memory, or by a guard of a fact's. Waits until no
  /// code depends on facts about it; for a second at most, or not at all if the interrupted code
  /// holds a lock of ours: then the write comes first, and the event log says so. `inside`: within
  /// a handler of Sartor's. Unless nothing is to be written, end() must follow.
  Begun begin(core::Extent memory, bool inside);
  /// The same by a guard of a fact's, which is counted (Fact::begin_unasked()); that ends here.
  Begun begin(Fact &fact, bool inside);
  void end(Number number);
  /// In a signal handler: a fact's last writer has ended, and it waits for that.
  void try_facts();

private:
  enum class State : std::uint32_t {
    free,
    taken,    ///< By a signal handler that is about to ask.
    asked,    ///< It waits.
    late,     ///< It has gone on without an answer.
    answered, ///< It may write, or not.
    ended,    ///< It has written.
    over,     ///< The same, before there was an answer.
  };
  struct Slot {
    std::atomic<std::uint32_t> state{0};
    core::Extent memory{};
    Fact *fact = nullptr;
    bool inside = false;
    Permission permission = Permission::given;
    /// The thread's alone.
    std::vector<std::pair<std::shared_ptr<Fact>, Permission>> writes;
  };
  static constexpr std::size_t kSlots = 64;

  SignalWrites();
  [[noreturn]] void run();
  void look();
  void answer(Slot &slot);
  static void finish(Slot &slot);
  Begun begin(core::Extent memory, Fact *fact, bool inside);
  Number take();
  void tell();
  void after_fork_in_child() override;
  void resume_in_child() override;

  base::Mutex mutex_; ///< Of who starts the thread.
  std::atomic<bool> running_{false};
  std::atomic<bool> tries_{false};
  std::atomic<std::uint32_t> changes_{0};
  std::array<Slot, kSlots> slots_;
};

} // namespace sartor::runtime

#endif
