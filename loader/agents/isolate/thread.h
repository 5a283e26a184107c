// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_THREAD_H
#define SARTOR_LOADER_AGENTS_ISOLATE_THREAD_H

#include <cstddef>
#include <cstdint>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

/// A call by which this thread has entered a domain.
struct Entry {
  Domain *domain = nullptr;
  std::uintptr_t *return_slot = nullptr; ///< Stack position of the return address.
  std::uintptr_t return_address = 0;
  std::uint32_t before = 0; ///< See Domain::enter().
};

/// The domains that a thread is in. A call into a domain that the thread is already in adds no
/// entry, since the domain stays open until the first call returns. There are therefore about as
/// many entries as domains, however deep calls are nested. Uses general registers only.
class Thread {
public:
  /// Enters a domain for the call whose return address is in `return_slot`; the call returns to
  /// `way_back`.
  void enter(Domain &domain, std::uintptr_t *return_slot, std::uintptr_t way_back);
  /// Leaves the domain when that call returns, and returns the address to continue at. Entries
  /// above the call's own have been jumped over and are left, too.
  std::uintptr_t leave(const std::uintptr_t *return_slot);
  /// Leaves the domains of calls whose return addresses are between the two stack pointers, when
  /// the thread jumps up its stack.
  void leave_jumped_over(std::uintptr_t from, std::uintptr_t to);
  /// Leaves all domains when the thread ends without returning from its calls.
  void leave_all() { leave_from(0); }
  [[nodiscard]] bool has_entered(const Domain &domain) const;

private:
  void leave_from(std::size_t first);
  /// Reserves an entry before any of it is written, because a signal handler may run in between.
  Entry &push();
  void pop();

  static constexpr std::size_t most_entries = 2 * most_domains;
  Entry entries_[most_entries];
  std::size_t count_ = 0;
};

extern thread_local constinit Thread this_thread;

} // namespace sartor::isolate

#endif
