// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_RUNTIME_OPTIONS_H
#define SARTOR_RUNTIME_RUNTIME_OPTIONS_H

#include <string>

#include <sartor/options.hpp>

#include "observe/result.h"

namespace sartor {

/// Reads Options from JSON, e.g. {"compile_timeout": 120}, durations in seconds; what is not named
/// stays as it is by default. Fails with bad_json.
Result<Options> options_from_json(const std::string &json);

} // namespace sartor

#endif
