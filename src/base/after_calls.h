// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_AFTER_CALLS_H
#define SARTOR_BASE_AFTER_CALLS_H

namespace sartor::base {

/// Whether something is to be done after each call of a handler: SARTOR_CHECK_CALLS, as it is when
/// the library is loaded. Then calls say that they are under way by calling a function, as where
/// there is no membarrier(), since code that does so itself could not be told.
bool checks_calls();

/// What it is. Called on the thread that has called, when its outermost handler has returned.
void set_after_calls(void (*work)());
/// By who ends the section of such a call.
void after_call() noexcept;

} // namespace sartor::base

#endif
