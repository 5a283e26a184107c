// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_OPEN_WRITES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_OPEN_WRITES_H

#include <cstddef>
#include <memory>

#include "runtime/assumptions/permission.h"
#include "runtime/assumptions/signal_writes.h"

namespace sartor::runtime {

class QuasiInvariantState;

/// The write guards that a thread has open: the program's own, and those of stores that the
/// compiler has guarded. It does not use an allocator and has no destructor, so that guards work in
/// signal handlers, and in destructors when a thread or the program ends.
class OpenWrites {
public:
  static OpenWrites &of_this_thread();

  /// Records a guard placed by hand. Guards may end in any order. At most kMostGuards are recorded
  /// at a time; a guard that another thread ends stays recorded.
  void open(const QuasiInvariantState &quasi_invariant);
  void close(const QuasiInvariantState &quasi_invariant);

  /// Begins a guarded store; it may begin within another store.
  void begin_store() {
    if (unlisted_ > 0 || !push(nullptr, Permission::unasked))
      ++unlisted_;
  }
  /// As begin_store(), in a signal handler, where SignalWrites invalidates the quasi-invariants.
  void begin_store_by(SignalWrites::Number handed) {
    begin_store();
    if (unlisted_ == 0)
      part_->writes[part_->count - 1].handed = handed;
  }
  /// Records that the store that has begun last must end this write. Returns false if memory is
  /// exhausted.
  [[nodiscard]] bool add_to_store(std::shared_ptr<QuasiInvariantState> quasi_invariant,
                                  Permission permission) {
    return unlisted_ == 0 && push(std::move(quasi_invariant), permission);
  }
  /// Ends that store and passes each of its quasi-invariants to `take`. Returns the number that
  /// begin_store_by() was given. Does nothing if there is no store.
  template <class Take> SignalWrites::Number end_store(Take take) {
    if (unlisted_ > 0) {
      --unlisted_;
      return SignalWrites::kNone;
    }
    while (part_->count > 0) {
      const Write last = pop();
      if (!last.quasi_invariant)
        return last.handed;
      take(*last.quasi_invariant, last.permission);
    }
    return SignalWrites::kNone;
  }

  /// Visits each quasi-invariant as often as a guard of it is open.
  template <class Visit> void for_each(Visit visit) const {
    for (std::size_t i = 0; i < guards_; ++i)
      visit(*guarded_[i]);
    for (const Part *part = part_; part; part = part->before)
      for (std::size_t i = 0; i < part->count; ++i)
        if (const auto &quasi_invariant = part->writes[i].quasi_invariant)
          visit(*quasi_invariant);
  }

private:
  static constexpr std::size_t kMostGuards = 8;
  static constexpr std::size_t kInPlace = 8;

  struct Write {
    std::shared_ptr<QuasiInvariantState> quasi_invariant; ///< Null where a store begins.
    Permission permission;
    SignalWrites::Number handed = SignalWrites::kNone;
  };
  /// A piece of the stack of writes. All pieces but the first are pages of their own.
  struct Part {
    Part *before = nullptr;
    Write *writes = nullptr;
    std::size_t most = 0;
    std::size_t count = 0;
  };

  bool push(std::shared_ptr<QuasiInvariantState> quasi_invariant, Permission permission);
  Write pop();
  bool grow();

  const QuasiInvariantState *guarded_[kMostGuards] = {}; // NOLINT(*-avoid-c-arrays)
  std::size_t guards_ = 0;
  alignas(Write) std::byte in_place_[kInPlace * sizeof(Write)] = {}; // NOLINT(*-avoid-c-arrays)
  Part first_;
  Part *part_ = nullptr;     ///< The newest piece; null before the thread's first store.
  std::size_t unlisted_ = 0; ///< Stores for which memory was exhausted, and those within them.
};

} // namespace sartor::runtime

#endif
