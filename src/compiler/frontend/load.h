// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LOAD_H
#define SARTOR_COMPILER_FRONTEND_LOAD_H

#include <span>
#include <string>

#include <sartor/module.h>

#include "base/result.h"
#include "core/space/module.h"

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

} // namespace sartor::compiler

#endif
