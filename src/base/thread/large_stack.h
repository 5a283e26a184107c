// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_LARGE_STACK_H
#define SARTOR_BASE_THREAD_LARGE_STACK_H

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace sartor::base {

/// LLVM recurses; a thread's default may be 2 MiB, or a value that the program has set. Untouched
/// pages take no memory.
constexpr std::size_t kLargeStackBytes = 16U << 20;

/// Runs `body` on the calling thread, with a separate stack: callers may be on a fiber's stack, or
/// on the smallest that a thread may have, and LLVM needs more. Exceptions of `body` propagate to
/// the caller. Meanwhile the thread cannot be cancelled. If there is no memory for a stack, the
/// caller's is used.
void run_on_large_stack(const std::function<void()> &body);

template <class Body> auto on_large_stack(Body body) {
  std::optional<decltype(body())> result;
  run_on_large_stack([&] { result.emplace(body()); });
  return std::move(*result);
}

} // namespace sartor::base

#endif
