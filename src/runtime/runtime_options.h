// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_RUNTIME_OPTIONS_H
#define SARTOR_RUNTIME_RUNTIME_OPTIONS_H

#include <string>
#include <string_view>

#include <sartor/options.hpp>

#include "base/result.h"

namespace sartor {

/// Reads Options from JSON, e.g. {"compile_timeout": 120}, durations in seconds; what is not named
/// stays as it is by default. Fails with bad_json.
Result<Options> options_from_json(const std::string &json);

/// "inside", "beside", "none", or a server's address. False if it is none of these.
bool set_compiler(Options &options, std::string_view text);

} // namespace sartor

#endif
