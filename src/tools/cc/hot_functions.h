// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_HOT_FUNCTIONS_H
#define SARTOR_TOOLS_CC_HOT_FUNCTIONS_H

#include <string>

#include "base/result.h"
#include "tools/cc/response_file.h"

namespace sartor::cc {

/// Returns the functions that -fsartor-auto=FILE names: those of a list or of a profile of perf.
/// Fails with file_error or bad_argument, also if the file names no function.
Result<Words> hot_functions(const std::string &file);

} // namespace sartor::cc

#endif
