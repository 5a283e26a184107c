// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_PREPARE_H
#define SARTOR_COMPILER_FRONTEND_PREPARE_H

#include <string>

#include <llvm/IR/Module.h>

#include "base/result.h"

namespace sartor::compiler {

/// A function attribute: SARTOR_FOLD stands at the definition.
constexpr const char *kFoldAttribute = "sartor-fold";

/// Writes down in each function's attributes whether SARTOR_HANDLER or SARTOR_FOLD stands at its
/// definition.
void name_handlers(llvm::Module &module);
/// Whether SARTOR_HANDLER_DIRECT stands there, and the plugin has made the handler's symbol lead to
/// what is in force.
bool is_direct(const llvm::Function &handler);
/// Makes it one for which that is still to be done.
void make_direct(llvm::Function &handler);
/// Makes it an ordinary handler.
void forget_direct(llvm::Function &handler);
/// Makes a function a handler of that name.
void name_handler(llvm::Function &function, llvm::StringRef name);
/// Makes a copy of a handler a function like any other.
void forget_handler(llvm::Function &function);
bool is_handler(const llvm::Function &function);
/// The name of a handler in the source.
std::string handler_name(const llvm::Function &handler);
/// The symbol of a handler's native code, in a module that prepare() has seen; whether the program
/// has it is known for embedded modules only.
std::string native_name(const llvm::Function &handler);

/// Brings a module that was compiled without the plugin into the form that the plugin writes, as
/// far as names alone allow: marks raised, variables made declarations that are looked up in the
/// program. Fails with bad_value_type, unbound_global.
Result<void> adopt_file_module(llvm::Module &module);

/// Readies a module for being specialized again and again: its code is meant for this machine but
/// computes what the native code computes, and functions with points are inlined into their
/// callers, so that a side exit leaves the whole handler. Functions that are native only lose their
/// bodies, handlers among them. `native_known`: the program has native code of every handler.
void prepare(llvm::Module &module, bool native_known);

/// Declares, in a module extracted from a prepared one, the native code of a handler; null where it
/// is not known to exist.
llvm::Function *declare_native(llvm::Function &handler);

} // namespace sartor::compiler

#endif
