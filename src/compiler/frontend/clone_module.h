// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_CLONE_MODULE_H
#define SARTOR_COMPILER_FRONTEND_CLONE_MODULE_H

#include <memory>

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

} // namespace sartor::compiler

#endif
