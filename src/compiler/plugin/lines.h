// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_LINES_H
#define SARTOR_COMPILER_PLUGIN_LINES_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// The front-end half passes the words of its option `lines`. By default, both halves have the
/// debug information that clang was asked for. With `variants`, the native half has none: it was
/// asked for on behalf of variants. With `none`, the bitcode has none. Returns false for other
/// words.
bool take_lines_option(llvm::StringRef word);

/// Removes the debug information that the embedded bitcode shall not have, or that variants have no
/// use for: that of variables and types that no function refers to.
void choose_lines_of_bitcode(llvm::Module &bitcode);

/// Removes the debug information that the object file shall not have.
void choose_lines_of_native(llvm::Module &native);

} // namespace sartor::compiler

#endif
