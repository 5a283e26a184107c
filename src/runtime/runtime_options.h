// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_RUNTIME_OPTIONS_H
#define SARTOR_RUNTIME_RUNTIME_OPTIONS_H

#include <memory>
#include <string>
#include <string_view>

#include <sartor/options.hpp>

#include "base/event_log.h"
#include "base/result.h"
#include "base/text/json.h"

namespace sartor {

/// Reads Options from JSON, e.g. {"compile_timeout": 120}, with durations in seconds; options that
/// are not named keep their defaults. Fails with bad_json.
Result<Options> options_from_json(const std::string &json);

/// Accepts "in-process", "out-of-process", "none", or a server's address. Returns false for any
/// other text.
bool set_compiler(Options &options, std::string_view text);

/// Describes the text that verification_from() accepts.
constexpr const char *kVerificationRemedy =
    "write on, off, all, or some of first=CALLS, budget=SHARE, every=CALLS, tolerance=NUMBER, "
    "separated by commas";

/// Accepts "on", "off", "all", or some of first=, budget=, every=, tolerance=, separated by commas;
/// settings that are not named are as in `base`. Fails with bad_json.
Result<Verification> verification_from(std::string_view text, Verification base);

/// Reads such a text; `verification` is the base. Returns false for any other value.
bool read_verification(const nlohmann::ordered_json &json, Verification &verification);

/// True if the environment says SARTOR=off (or 0, no, false). A value other than these and on, 1,
/// yes, true is reported and ignored.
bool switched_off();

/// Returns a program's options, overridden by the environment. An invalid value in the environment
/// is reported and the program's is kept: the user who starts a program must not be able to stop it
/// this way.
Options with_environment(Options options);

/// Opens the log that the environment names. If there is none, or it cannot be written (which is
/// reported), opens the one of the program's options; returns null if these name none. Fails with
/// file_error if the program's log cannot be written.
Result<std::unique_ptr<EventLog>> open_event_log(const Options &options);

} // namespace sartor

#endif
