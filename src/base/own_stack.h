// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_OWN_STACK_H
#define SARTOR_BASE_OWN_STACK_H

#include <cstdint>
#include <optional>

namespace sartor::base {

/// Where the stack of a thread lies: [low, end).
struct OwnStack {
  std::uintptr_t low;
  std::uintptr_t end;

  /// The calling thread's, whatever stack it is on. Nothing where it cannot be told from what is
  /// beside it: a stack that the program has allocated itself, without a guard below. May be called
  /// in a signal handler, which pthread_getattr_np() may not: that one allocates.
  static std::optional<OwnStack> find() noexcept;

  /// Around fork(): the child's main thread may have been another one of its parent's.
  static void before_fork() noexcept;
  static void after_fork_in_child() noexcept;
};

} // namespace sartor::base

#endif
