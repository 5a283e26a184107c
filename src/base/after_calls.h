// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_AFTER_CALLS_H
#define SARTOR_BASE_AFTER_CALLS_H

namespace sartor::base {

/// True if a check runs after each call of a handler: the value of SARTOR_CHECK_CALLS when the
/// library was loaded. Calls then register by calling a function, as without membarrier(), because
/// inlined registration cannot notify this library.
bool checks_calls();

/// Sets the check. It is called on the calling thread when its outermost handler has returned.
void set_after_calls(void (*work)());
/// Called by the code that ends the section of such a call.
void after_call() noexcept;

} // namespace sartor::base

#endif
