// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_OWN_STACK_H
#define SARTOR_BASE_THREAD_OWN_STACK_H

#include <cstdint>
#include <optional>

namespace sartor::base {

/// Bounds of the stack of a thread: [low, end).
struct OwnStack {
  std::uintptr_t low;
  std::uintptr_t end;

  /// The calling thread's stack, whatever stack it is on. Nothing if it cannot be distinguished
  /// from adjacent memory: a stack that the program has allocated itself, without a guard below.
  /// May be called in a signal handler, unlike pthread_getattr_np(), which allocates.
  static std::optional<OwnStack> find() noexcept;

  /// To be called around fork(): the child's main thread may have been another thread of its
  /// parent.
  static void before_fork() noexcept;
  static void after_fork_in_child() noexcept;
};

} // namespace sartor::base

#endif
