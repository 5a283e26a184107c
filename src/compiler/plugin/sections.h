// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_SECTIONS_H
#define SARTOR_COMPILER_PLUGIN_SECTIONS_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// A string that rows refer to.
llvm::Constant *make_string(llvm::Module &module, llvm::StringRef text);

/// Constant data in a section of its own, without red zones between what files have there.
llvm::GlobalVariable *make_global(llvm::Module &module, llvm::Constant *contents,
                                  llvm::StringRef name, llvm::StringRef section);

/// A bound of what a program or library has in a section, made by the linker: `__start_…`.
llvm::GlobalVariable *make_bound(llvm::Module &module, llvm::StringRef name);

/// Has an empty constructor call a function, where somebody defines it. The arguments are
/// constants.
void call_if_heard(llvm::Function &constructor, llvm::StringRef listener,
                   llvm::ArrayRef<llvm::Value *> arguments);

/// Text in a section that is not loaded: pieces as guard_section.h has them, which the linker
/// joins.
void add_unloaded(llvm::Module &module, llvm::StringRef section, llvm::StringRef magic,
                  llvm::StringRef text);

} // namespace sartor::compiler

#endif
