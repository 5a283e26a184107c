// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_HANDLERS_IN_H
#define SARTOR_TOOLS_CLI_HANDLERS_IN_H

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/compiler/compiler.h"
#include "core/space/module.h"

namespace sartor::cli {

/// Handlers that run in one place: the program's, or those of one object for the kernel.
struct Handlers {
  core::HandlerModule module;
  /// Makes code for that place.
  std::shared_ptr<core::InProcessCompiler> compiler;
  std::string kernel_object; ///< The object file, for handlers in the kernel; otherwise empty.
};

/// Returns all handlers in a file: those embedded in a program or library, also in objects for the
/// kernel in it; or the file is such an object, or a .bc or .ll file. There is at least one. Fails
/// with no_handler_module, and with errors of reading them.
Result<std::vector<Handlers>> handlers_in(const std::string &path);

} // namespace sartor::cli

#endif
