// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ENGINE_DIRECT_RETURN_H
#define SARTOR_ENGINE_DIRECT_RETURN_H

/// The end of a direct call of a handler (sartor/module.h): variants that may be called so do not
/// return, they jump here, with their results in registers and the stack as at their beginning. If
/// the thread's outermost section was begun by the call that is now over, it has ended. That must
/// not be said by the variant itself, which might be gone before its last instruction. All other
/// calls, by a handle for one, just return.
namespace sartor::engine {

/// By which LLVM's code generator calls it.
constexpr const char *kDirectReturn = "__x86_return_thunk";

/// A function's address, in no way to be called.
[[nodiscard]] void *direct_return();

} // namespace sartor::engine

#endif
