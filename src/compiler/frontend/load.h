// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LOAD_H
#define SARTOR_COMPILER_FRONTEND_LOAD_H

#include <span>
#include <string>

#include <sartor/module.h>

#include "base/result.h"
#include "core/space/module.h"

namespace sartor::compiler {

/// The modules embedded in a running program, linked into one; bad ones are left out. Fails with
/// no_handler_module, bad_bitcode, wrong_llvm_version, wrong_target, label_not_constant,
/// conflicting_label.
Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules);
/// What is in a bitcode or .ll file of that name, without addresses. Fails with bad_value_type,
/// unbound_global too.
Result<core::HandlerModule> load_file(const std::string &name, const std::string &content);
/// The modules embedded in a program that is not running: without addresses.
Result<core::HandlerModule> load_program(const std::string &path);

/// The handlers of an object file for the kernel, by its bytes. Where the thread aims at the
/// kernel. Fails with file_error, too.
Result<core::HandlerModule> load_kernel_object(const std::string &name, const std::string &object);

} // namespace sartor::compiler

#endif
