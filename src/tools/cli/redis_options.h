// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REDIS_OPTIONS_H
#define SARTOR_TOOLS_CLI_REDIS_OPTIONS_H

#include <CLI/CLI.hpp>

#include "core/cache/shared_cache.h"

namespace sartor::cli {

/// Adds the options of a command that connects to Redis: the files with the password and with the
/// certificates. `options` must outlive the command.
void add_redis_credentials(CLI::App &command, core::SharedCacheOptions &options);

} // namespace sartor::cli

#endif
