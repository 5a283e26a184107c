// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_AT_EXIT_H
#define SARTOR_JIT_AT_EXIT_H

#include <functional>

namespace sartor::jit {

/// Has `stop` called when the process begins to exit, before LLVM's own static objects are
/// destroyed: a thread that compiles meanwhile would crash. Objects made lazily are destroyed in
/// the reverse order of their making, so a handler of atexit() comes too late for those made after
/// it; thread-local objects of the thread that exits come first of all. Call this on the main
/// thread if you can, and again (it is cheap) after LLVM has been at work. Thread-safe.
void call_at_exit(const void *key, std::function<void()> stop);
/// Not any more. Waits for a call under way.
void forget_at_exit(const void *key);
/// Registers the calling thread and the process anew, for what has been made since.
void renew_exit_hooks();

} // namespace sartor::jit

#endif
