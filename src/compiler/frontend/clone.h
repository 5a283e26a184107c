// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_CLONE_H
#define SARTOR_COMPILER_FRONTEND_CLONE_H

#include <memory>
#include <string>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace sartor::compiler {

/// Copies a module as LLVM's CloneModule() does. Tables of labels in the copy contain labels of the
/// copy, also with versions of LLVM that leave those of the original there.
std::unique_ptr<llvm::Module> clone_module(const llvm::Module &module);
/// `map` receives the copies.
std::unique_ptr<llvm::Module> clone_module(const llvm::Module &module,
                                           llvm::ValueToValueMapTy &map);
/// What `is_defined` rejects becomes a declaration.
std::unique_ptr<llvm::Module>
clone_module(const llvm::Module &module, llvm::ValueToValueMapTy &map,
             llvm::function_ref<bool(const llvm::GlobalValue *)> is_defined);

/// Returns the reason why a function must not run as a copy in addition to the original; empty if
/// it may.
[[nodiscard]] std::string copy_problem(const llvm::Function &function);

/// Copies a function without copy_problem() within its module. The static tables of its labels
/// (computed goto) are also copied, so that the copy jumps to its own labels. Calls of the function
/// itself remain calls of the original.
llvm::Function *copy_function(llvm::Function &function);

} // namespace sartor::compiler

#endif
