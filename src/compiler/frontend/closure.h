// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_CLOSURE_H
#define SARTOR_COMPILER_FRONTEND_CLOSURE_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Whether a function, used so, is called by code of its own module alone, or by a callee that does
/// not keep its address: a variant may use its own copy.
[[nodiscard]] bool stays_inside(const llvm::Use &use);

/// Every function with a body that is called from `root` directly, or lent by it to a callee,
/// itself included.
llvm::SetVector<llvm::Function *> called_functions(llvm::Function &root);

/// These, and those that are given to one of them as an argument, which may come to call it.
llvm::SetVector<llvm::Function *> called_or_given_functions(llvm::Function &root);

/// What each function of a module reaches by one reference, looked up once; while nothing changes.
class References {
public:
  const llvm::SetVector<llvm::Function *> &from(const llvm::Function &function);

private:
  llvm::DenseMap<const llvm::Function *, llvm::SetVector<llvm::Function *>> known_;
};

/// Every function with a body whose call may be in code that is specialized along with `root`,
/// itself included: those called and lent, and those whose addresses it uses without letting them
/// out, by way of constant tables and choices, too. Not those that are native only.
llvm::SetVector<llvm::Function *> reachable_functions(llvm::Function &root, References &references);
llvm::SetVector<llvm::Function *> reachable_functions(llvm::Function &root);

/// Every function from which a point can be reached in this sense.
llvm::SetVector<llvm::Function *> functions_reaching_points(llvm::Module &module);

/// Whether a variable's contents name a label in the body of another function than these, also by
/// way of static variables: they cannot be copied without it.
[[nodiscard]] bool names_label_outside(const llvm::GlobalVariable &variable,
                                       const llvm::SetVector<llvm::Function *> &functions);

/// What a variant is made of.
struct Needed {
  llvm::SetVector<llvm::Function *> functions;             ///< With their bodies.
  llvm::SetVector<const llvm::GlobalVariable *> variables; ///< With their contents.
};

/// What functions call, and what they refer to: bodies of functions that are not called directly
/// are worth having where loads from constant tables fold, as long as they are few; all those that
/// are given as arguments, where `much_is_inlined`, for what invariant memory tells.
Needed needed_by(llvm::ArrayRef<llvm::Function *> roots,
                 llvm::ArrayRef<const llvm::GlobalVariable *> tables, bool much_is_inlined = false);

} // namespace sartor::compiler

#endif
