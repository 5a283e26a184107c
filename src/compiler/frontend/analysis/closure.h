// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ANALYSIS_CLOSURE_H
#define SARTOR_COMPILER_FRONTEND_ANALYSIS_CLOSURE_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// True if this use of a function can only lead to calls from its own module or from a callee that
/// does not keep its address. A variant may then use its own copy.
[[nodiscard]] bool stays_inside(const llvm::Use &use);

/// Returns every function with a body that `root` calls directly or lends to a callee, and `root`
/// itself.
llvm::SetVector<llvm::Function *> called_functions(llvm::Function &root);

/// Returns the functions that a function calls directly or lends to a callee and, with `or_given`,
/// those that it passes as an argument to a function that may call them.
llvm::SetVector<llvm::Function *> called_by(const llvm::Function &function, bool or_given = false);

/// Caches, for each function of a module, the functions that it refers to directly. Valid while the
/// module does not change.
class References {
public:
  const llvm::SetVector<llvm::Function *> &from(const llvm::Function &function);

private:
  llvm::DenseMap<const llvm::Function *, llvm::SetVector<llvm::Function *>> known_;
};

/// Returns every function with a body that may be called in code specialized along with `root`,
/// including `root`: functions that it calls or lends, and functions whose addresses it uses
/// without letting them out, also through constant tables and choices. Native-only functions are
/// left out.
llvm::SetVector<llvm::Function *> reachable_functions(llvm::Function &root, References &references);
llvm::SetVector<llvm::Function *> reachable_functions(llvm::Function &root);

/// True if a function is so large, or large and used so often, that variants should call its native
/// code rather than contain a copy of it.
[[nodiscard]] bool is_worth_sharing(const llvm::Function &function);

/// Returns every function that is specialized along with the handlers that call it: from which a
/// point can be reached in this sense. Functions for which `may_stay_native` holds are left out if
/// they reach points only by calling a handler again that reaches them: in an interpreter, most of
/// the program. They call the handler as the rest of the program does.
llvm::SetVector<llvm::Function *>
functions_reaching_points(llvm::Module &module,
                          llvm::function_ref<bool(const llvm::Function &)> may_stay_native);

/// True if a variable's contents, also through static variables, contain the address of a label in
/// a function outside `functions`. The variable then cannot be copied without that function.
[[nodiscard]] bool names_label_outside(const llvm::GlobalVariable &variable,
                                       const llvm::SetVector<llvm::Function *> &functions);

/// The parts of a module that a variant consists of.
struct Needed {
  llvm::SetVector<llvm::Function *> functions;             ///< Included with their bodies.
  llvm::SetVector<const llvm::GlobalVariable *> variables; ///< Included with their contents.
};

/// Returns the functions that `roots` call, and those that they refer to: bodies of functions that
/// are not called directly are included for folding loads from constant tables, up to a size limit.
/// With `much_is_inlined`, all functions passed as arguments are included, because invariant memory
/// may determine the calls.
Needed needed_by(llvm::ArrayRef<llvm::Function *> roots,
                 llvm::ArrayRef<const llvm::GlobalVariable *> tables, bool much_is_inlined = false);

} // namespace sartor::compiler

#endif
