// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_OPEN_WRITES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_OPEN_WRITES_H

#include <cstddef>
#include <memory>

#include "runtime/assumptions/permission.h"
#include "runtime/assumptions/signal_writes.h"

namespace sartor::runtime {

class Fact;

/// The write guards that a thread has open: the program's own, and those of stores that the
/// compiler has guarded. Asks no allocator for memory and has no destructor, so that guards work in
/// signal handlers, and in destructors when a thread or the program ends.
class OpenWrites {
public:
  static OpenWrites &of_this_thread();

  /// A guard by hand. Guards may end in any order. At most kMostGuards are listed at a time, and
  /// one that another thread ends stays listed.
  void open(const Fact &fact);
  void close(const Fact &fact);

  /// A guarded store begins; it may begin within another one's guard.
  void begin_store() {
    if (unlisted_ > 0 || !push(nullptr, Permission::unasked))
      ++unlisted_;
  }
  /// The same in a signal handler, of which SignalWrites has facts break.
  void begin_store_by(SignalWrites::Number handed) {
    begin_store();
    if (unlisted_ == 0)
      part_->writes[part_->count - 1].handed = handed;
  }
  /// The store that has begun last has to end this write. False without memory.
  [[nodiscard]] bool add_to_store(std::shared_ptr<Fact> fact, Permission permission) {
    return unlisted_ == 0 && push(std::move(fact), permission);
  }
  /// That store ends: hands out each of its facts. Returns what begin_store_by() was told. Does
  /// nothing if there is none.
  template <class Take> SignalWrites::Number end_store(Take take) {
    if (unlisted_ > 0) {
      --unlisted_;
      return SignalWrites::kNone;
    }
    while (part_->count > 0) {
      const Write last = pop();
      if (!last.fact)
        return last.handed;
      take(*last.fact, last.permission);
    }
    return SignalWrites::kNone;
  }

  /// Each fact as often as a guard of it is open.
  template <class Visit> void for_each(Visit visit) const {
    for (std::size_t i = 0; i < guards_; ++i)
      visit(*guarded_[i]);
    for (const Part *part = part_; part; part = part->before)
      for (std::size_t i = 0; i < part->count; ++i)
        if (const auto &fact = part->writes[i].fact)
          visit(*fact);
  }

private:
  static constexpr std::size_t kMostGuards = 8;
  static constexpr std::size_t kInPlace = 8;

  struct Write {
    std::shared_ptr<Fact> fact; ///< Null where a store begins.
    Permission permission;
    SignalWrites::Number handed = SignalWrites::kNone;
  };
  /// A piece of the stack of writes. All but the first are pages of their own.
  struct Part {
    Part *before = nullptr;
    Write *writes = nullptr;
    std::size_t most = 0;
    std::size_t count = 0;
  };

  bool push(std::shared_ptr<Fact> fact, Permission permission);
  Write pop();
  bool grow();

  const Fact *guarded_[kMostGuards] = {}; // NOLINT(*-avoid-c-arrays)
  std::size_t guards_ = 0;
  alignas(Write) std::byte in_place_[kInPlace * sizeof(Write)] = {}; // NOLINT(*-avoid-c-arrays)
  Part first_;
  Part *part_ = nullptr;     ///< The newest; null before the thread has had any.
  std::size_t unlisted_ = 0; ///< Stores for which there was no memory, and those within them.
};

} // namespace sartor::runtime

#endif
