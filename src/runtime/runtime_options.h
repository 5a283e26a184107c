// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_RUNTIME_OPTIONS_H
#define SARTOR_RUNTIME_RUNTIME_OPTIONS_H

#include <string>
#include <string_view>

#include <sartor/options.hpp>

#include "base/result.h"

namespace sartor {

/// Reads Options from JSON, e.g. {"compile_timeout": 120}, with durations in seconds; options that
/// are not named keep their defaults. Fails with bad_json.
Result<Options> options_from_json(const std::string &json);

/// Accepts "in-process", "out-of-process", "none", or a server's address. Returns false for any
/// other text.
bool set_compiler(Options &options, std::string_view text);

/// Accepts "on", "off", "all", or some of first=, budget=, every=, tolerance=, separated by commas;
/// settings that are not named are as in `base`. Fails with bad_json.
Result<Verification> verification_from(std::string_view text, Verification base);

} // namespace sartor

#endif
