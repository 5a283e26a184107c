// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_HOT_FUNCTIONS_H
#define SARTOR_TOOLS_CC_HOT_FUNCTIONS_H

#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/cc/response_file.h"

namespace sartor::cc {

/// Returns the functions of a list: linker names, or qualified names as in the source. `name` is
/// for messages. Fails with bad_argument for a line that is no function, or if there are none.
Result<Words> listed_functions(std::string_view text, const std::string &name);

/// Returns the functions with at least one percent of the samples, by their linker names, from the
/// output of `perf report` with the fields overhead, dso and sym, separated by tabs. Functions of
/// the kernel and addresses without a name are left out. A function's percentages are added: the
/// compiler may have split it. If several events were recorded, one of them is enough.
Words profiled_functions(std::string_view report);

/// Returns the functions that -fsartor-auto=FILE names: those of a list or of a profile of perf.
/// Fails with file_error or bad_argument, also if the file names no function.
Result<Words> hot_functions(const std::string &file);

} // namespace sartor::cc

#endif
