// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DIRECT_RETURN_H
#define SARTOR_COMPILER_PLUGIN_DIRECT_RETURN_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// The name of the function that LLVM's code generator jumps to in place of a return.
constexpr const char *kDirectReturn = "__x86_return_thunk";

/// Returns the word with the offset from the thread pointer to the address of libsartor's record of
/// a thread; 0 before a runtime has written it. A program or library has one such word.
llvm::GlobalVariable &reader_distance(llvm::Module &native);

/// Returns the function that ends a direct call: variants that can be called directly jump here
/// instead of returning, with their results in registers and the stack as at their beginning. If
/// this call began the thread's outermost section, it ends here. The variant itself must not end
/// it, because its code could be reclaimed before its last instruction. All other calls, such as by
/// a handle, just return. Null if no code uses the word.
llvm::Function *direct_return(llvm::Module &native);

} // namespace sartor::compiler

#endif
