// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_IDENTITY_H
#define SARTOR_COMPILER_SPECIALIZE_IDENTITY_H

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// A pointer that equals an address is not that address: what it is based on (a restrict parameter,
/// memory just allocated) is what it may be used with, and LLVM takes a constant address for memory
/// that neither of those is. So a pointer that a guard has found to equal a constant stays itself,
/// and what is known of it is written beside it until invariant memory has been folded:
///
///     %q = call ptr @sartor.known(ptr %p, ptr @table)
///
/// In LLVM's words: the address is known, the provenance kept.

/// Whether a constant may stand for a pointer that equals it: for functions, null and constant
/// memory it makes no difference, as nobody stores there.
bool may_stand_for_pointer(const llvm::Constant &known);

/// Writes it down. The result equals `pointer`.
llvm::Value *know_pointer(llvm::IRBuilderBase &builder, llvm::Value &pointer,
                          llvm::Constant &known);

/// The same of a pointer of which it will be known in copies of the code what it equals: itself,
/// for now.
llvm::Value *may_know_pointer(llvm::IRBuilderBase &builder, llvm::Value &pointer);

/// What was written down that a pointer equals; else null.
llvm::Value *written_of(const llvm::Value &pointer);
/// The same if it is a constant.
llvm::Constant *known_pointer(const llvm::Value &pointer);

/// Whether a value that can be computed must be left as it is for this user: it is derived from a
/// pointer of which something is written down.
bool keeps_identity(const llvm::Use &use);

/// Forgets what was written down, after it has become of use where that is safe: calls through such
/// pointers become direct, comparisons with constants are decided.
void forget_known_pointers(llvm::Module &module);

/// The address of a pointer as a number of which LLVM knows nothing, so that comparing it does not
/// make LLVM put one of the two pointers in the other's place.
llvm::Value *hidden_address(llvm::IRBuilderBase &builder, llvm::Value &pointer);

/// A pointer that equals `address` and may be based on any of `sources`.
llvm::Value *pointer_based_on(llvm::IRBuilderBase &builder, llvm::Value &address,
                              llvm::ArrayRef<llvm::Value *> sources);

} // namespace sartor::compiler

#endif
