// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LOAD_H
#define SARTOR_COMPILER_FRONTEND_LOAD_H

#include <span>
#include <string>
#include <vector>

#include <sartor/module.h>

#include "base/result.h"
#include "core/space/module.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sartor::compiler {

/// Links the modules embedded in a running program into one; bad modules are left out. Fails with
/// no_handler_module, bad_bitcode, wrong_llvm_version, wrong_target, label_not_constant,
/// conflicting_label.
Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules);
/// Loads a bitcode or .ll file with that name and content; the result has no addresses. Also fails
/// with bad_value_type, unbound_global.
Result<core::HandlerModule> load_file(const std::string &name, const std::string &content);
/// Loads the modules embedded in a program file that is not running; the result has no addresses.
Result<core::HandlerModule> load_program(const std::string &path);

/// Loads the handlers from the bytes of a kernel object file. The thread must have an Aim at the
/// kernel. Also fails with file_error.
Result<core::HandlerModule> load_kernel_object(const std::string &name, const std::string &object);

/// The prefix of the names of kept constants.
constexpr const char *kKeptPrefix = "sartor.kept.";

/// Moves the local constants of a module file that are plain data, such as literals, to memory that
/// exists as long as the process: the native code has no such constants, and a variant may hand out
/// their addresses. Returns the bytes to be stored; in the module, the contents remain visible to
/// LLVM.
std::vector<core::HandlerModule::Constant> keep_constants(llvm::Module &module);

} // namespace sartor::compiler

#endif
