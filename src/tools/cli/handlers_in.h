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

/// Handlers that run in one place: this program's, or those of one object for the kernel.
struct Handlers {
  core::HandlerModule module;
  /// Makes code for where they run.
  std::shared_ptr<core::InsideCompiler> compiler;
  std::string kernel_object; ///< Of handlers in the kernel: the object file. Else empty.
};

/// All handlers in a file: embedded in a program or library, also in objects for the kernel in it;
/// or the file is such an object, or a .bc or .ll file. At least one. Fails with no_handler_module,
/// and as they cannot be read.
Result<std::vector<Handlers>> handlers_in(const std::string &path);

} // namespace sartor::cli

#endif
