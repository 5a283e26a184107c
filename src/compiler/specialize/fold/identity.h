// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_IDENTITY_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_IDENTITY_H

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// A pointer that equals an address is not interchangeable with it: its provenance (a restrict
/// parameter, an allocation) determines which memory it may access, and LLVM assumes that a
/// constant address is in different memory. So a pointer that a guard has found to equal a constant
/// is not replaced, and the known address is attached to it until invariant memory has been folded:
///
///     %q = call ptr @sartor.known(ptr %p, ptr @table)
///
/// In LLVM's terms: the address is known, the provenance is kept.

/// True if a constant may replace a pointer that equals it: for functions, null and constant memory
/// the provenance does not matter, because no code stores there.
bool may_stand_for_pointer(const llvm::Constant &known);

/// Attaches the known address to a pointer. The result equals `pointer`.
llvm::Value *know_pointer(llvm::IRBuilderBase &builder, llvm::Value &pointer,
                          llvm::Constant &known);

/// Does the same for a pointer whose address becomes known in copies of the code; until then it is
/// the pointer itself.
llvm::Value *may_know_pointer(llvm::IRBuilderBase &builder, llvm::Value &pointer);

/// Returns the value attached to a pointer; or null.
llvm::Value *written_of(const llvm::Value &pointer);
/// Returns the value attached to a pointer if it is a constant; or null.
llvm::Constant *known_pointer(const llvm::Value &pointer);

/// True if this use must keep a value although it can be computed, because it is derived from a
/// pointer with a known address.
bool keeps_identity(const llvm::Use &use);

/// Removes the known addresses from pointers, after using them where that is safe: calls through
/// such pointers become direct, comparisons with constants are decided.
void forget_known_pointers(llvm::Module &module);

/// Returns a pointer's address as a number that is opaque to LLVM, so that LLVM does not replace
/// one of two compared pointers by the other.
llvm::Value *hidden_address(llvm::IRBuilderBase &builder, llvm::Value &pointer);

/// Returns a pointer that equals `address` and may be based on any of `sources`.
llvm::Value *pointer_based_on(llvm::IRBuilderBase &builder, llvm::Value &address,
                              llvm::ArrayRef<llvm::Value *> sources);

} // namespace sartor::compiler

#endif
