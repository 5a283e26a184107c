// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_SECTIONS_H
#define SARTOR_COMPILER_PLUGIN_SECTIONS_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Creates a string that rows refer to.
llvm::Constant *make_string(llvm::Module &module, llvm::StringRef text);

/// Creates constant data in the given section, without sanitizer red zones between the parts of
/// different files.
llvm::GlobalVariable *make_global(llvm::Module &module, llvm::Constant *contents,
                                  llvm::StringRef name, llvm::StringRef section);

/// Declares a bound of a section in the program or library, which the linker defines: `__start_…`.
llvm::GlobalVariable *make_bound(llvm::Module &module, llvm::StringRef name);

/// Creates an empty constructor that each program or library has once, however many of its files
/// do.
llvm::Function *make_shared_constructor(llvm::Module &module, llvm::StringRef name);

/// Makes an empty constructor call `listener`, if it is defined. The arguments are constants.
void call_if_heard(llvm::Function &constructor, llvm::StringRef listener,
                   llvm::ArrayRef<llvm::Value *> arguments);

/// Adds text to a section that is not loaded: pieces in the format of guard_section.h, which the
/// linker concatenates.
void add_unloaded(llvm::Module &module, llvm::StringRef section, llvm::StringRef magic,
                  llvm::StringRef text);

} // namespace sartor::compiler

#endif
