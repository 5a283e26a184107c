// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_THREAD_H
#define SARTOR_LOADER_AGENTS_ISOLATE_THREAD_H

#include <cstddef>
#include <cstdint>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

/// A call by which this thread has come into a domain.
struct Entry {
  Domain *domain = nullptr;
  std::uintptr_t *return_slot = nullptr; ///< Where on the stack the call's return address was.
  std::uintptr_t return_address = 0;
  std::uint32_t before = 0; ///< See Domain::enter().
};

/// What a thread is inside of. A call into a domain in which the thread is already goes in without
/// an entry, since the domain stays open until the first one returns: there are about as many
/// entries as domains, however deep calls are nested. Uses general registers only.
class Thread {
public:
  /// The call whose return address is in `return_slot` goes into a domain, and returns by
  /// `way_back`.
  void enter(Domain &domain, std::uintptr_t *return_slot, std::uintptr_t way_back);
  /// It has returned; returns where to go on. Entries behind its own have been jumped over.
  std::uintptr_t leave(const std::uintptr_t *return_slot);
  /// It jumps up its stack, over the calls whose return addresses lie between.
  void leave_jumped_over(std::uintptr_t from, std::uintptr_t to);
  /// It ends, and calls will not return.
  void leave_all() { leave_from(0); }
  [[nodiscard]] bool has_entered(const Domain &domain) const;

private:
  void leave_from(std::size_t first);
  /// Takes place on the stack of entries before anything is written: the handler of a signal may
  /// come in between.
  Entry &push();
  void pop();

  static constexpr std::size_t most_entries = 2 * most_domains;
  Entry entries_[most_entries];
  std::size_t count_ = 0;
};

extern thread_local constinit Thread this_thread;

} // namespace sartor::isolate

#endif
