// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_PUBLISH_H
#define SARTOR_COMPILER_FRONTEND_PUBLISH_H

#include <string>

#include "base/result.h"
#include "core/space/published.h"

namespace sartor::compiler {

/// Gives the static symbols of a handler file global names. `content` is bitcode or textual IR, as
/// for load_file(). The names are hidden from other libraries, and two files of different content
/// share none. Thread-local variables are unchanged. Fails as read_module().
Result<core::Published> publish(const std::string &name, const std::string &content);

} // namespace sartor::compiler

#endif
