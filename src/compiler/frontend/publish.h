// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_PUBLISH_H
#define SARTOR_COMPILER_FRONTEND_PUBLISH_H

#include <string>

#include "base/result.h"
#include "core/space/published.h"

namespace sartor::compiler {

/// Gives what is static in a handler file a name. `content` is bitcode or LLVM's text, as
/// load_file() takes it. The names are hidden from other libraries, and no two files of different
/// content share one. Thread-local variables stay as they are. Fails with what read_module() fails
/// with.
Result<core::Published> publish(const std::string &name, const std::string &content);

} // namespace sartor::compiler

#endif
