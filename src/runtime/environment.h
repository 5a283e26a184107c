// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ENVIRONMENT_H
#define SARTOR_RUNTIME_ENVIRONMENT_H

#include <memory>

#include <sartor/options.hpp>

#include "base/event_log.h"
#include "base/result.h"

namespace sartor {

/// Whether the environment says SARTOR=off (or 0, no, false). What it says otherwise but on, 1, yes
/// and true is complained of and means nothing.
bool switched_off();

/// A program's options, the environment's put over them. Where the environment is wrong it is
/// complained of and the program's are kept: whoever starts a program must not stop it so.
Options with_environment(Options options);

/// The log that the environment names or, where there is none or it cannot be written (which is
/// complained of), the one of the program's options; null where there is none either. Fails with
/// file_error if it is the program's that cannot be written.
Result<std::unique_ptr<EventLog>> open_event_log(const Options &options);

} // namespace sartor

#endif
