// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DIRECT_RETURN_H
#define SARTOR_COMPILER_PLUGIN_DIRECT_RETURN_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// The name by which LLVM's code generator calls what is jumped to in place of a return.
constexpr const char *kDirectReturn = "__x86_return_thunk";

/// A word: how far from the thread pointer the address of libsartor's record of a thread is; 0
/// before a runtime has written it. One for a program or library.
llvm::GlobalVariable &reader_distance(llvm::Module &native);

/// The end of a direct call: variants that may be called so do not return, they jump here, with
/// their results in registers and the stack as at their beginning. If the thread's outermost
/// section was begun by the call that is now over, it has ended. That must not be said by the
/// variant itself, which might be gone before its last instruction. All other calls, by a handle
/// for one, just return. Null where nobody has asked for the word.
llvm::Function *direct_return(llvm::Module &native);

} // namespace sartor::compiler

#endif
