// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_LARGE_STACK_H
#define SARTOR_BASE_LARGE_STACK_H

#include <functional>
#include <optional>
#include <utility>

namespace sartor::base {

/// Runs `body` on the calling thread, with a stack of its own: callers may be on a fiber's, or on
/// the smallest that a thread may have, and LLVM needs more. What it throws comes out of the call.
/// Meanwhile the thread cannot be cancelled. Where there is no memory for a stack, the caller's is
/// used.
void run_on_large_stack(const std::function<void()> &body);

template <class Body> auto on_large_stack(Body body) {
  std::optional<decltype(body())> result;
  run_on_large_stack([&] { result.emplace(body()); });
  return std::move(*result);
}

} // namespace sartor::base

#endif
