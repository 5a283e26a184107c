// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_PREPARE_H
#define SARTOR_COMPILER_FRONTEND_PREPARE_H

#include <string>

#include <llvm/IR/Module.h>

#include "base/result.h"

namespace sartor::compiler {

/// The function attribute of functions whose definition has SARTOR_FOLD.
constexpr const char *kFoldAttribute = "sartor-fold";

/// The function attribute of functions whose definition has SARTOR_UNORDERED.
constexpr const char *kUnorderedAttribute = "sartor-unordered";

/// Records in each function's attributes whether its definition has SARTOR_HANDLER or SARTOR_FOLD.
void name_handlers(llvm::Module &module);
/// True if the definition has SARTOR_HANDLER_DIRECT and the plugin has made the handler's symbol
/// point to the active variant.
bool is_direct(const llvm::Function &handler);
/// Marks a function as such a handler, before the plugin has done so.
void make_direct(llvm::Function &handler);
/// Makes a direct handler an ordinary one.
void forget_direct(llvm::Function &handler);
/// Makes a function a handler with the given name.
void name_handler(llvm::Function &function, llvm::StringRef name);
/// Makes a copy of a handler an ordinary function.
void forget_handler(llvm::Function &function);
bool is_handler(const llvm::Function &function);
/// Returns a handler's name in the source.
std::string handler_name(const llvm::Function &handler);
/// Returns the symbol of a handler's native code, in a module that prepare() has processed. Only
/// for embedded modules is it known whether the program defines it.
std::string native_name(const llvm::Function &handler);

/// Brings a module that was compiled without the plugin into the plugin's form, as far as names
/// alone allow: marks are raised, variables become declarations that are looked up in the program.
/// Fails with bad_value_type, unbound_global.
Result<void> adopt_file_module(llvm::Module &module);

/// Prepares a module for repeated specialization: its code targets this machine but computes the
/// same results as the native code, and functions with points are inlined into their callers, so
/// that a side exit leaves the whole handler. Native-only functions, including handlers, lose their
/// bodies. `native_known`: the program has native code of every handler.
void prepare(llvm::Module &module, bool native_known);

/// Declares a handler's native code in a module extracted from a prepared one; null if it is not
/// known to exist.
llvm::Function *declare_native(llvm::Function &handler);

/// Cleans up a front end's code whose marks are raised, without moving or merging code that a point
/// may need. Values are then where invariant memory can fold, not in variables on the stack.
void simplify(llvm::Module &module);

} // namespace sartor::compiler

#endif
