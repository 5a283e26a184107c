// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_CACHE_H
#define SARTOR_TOOLS_CLI_CACHE_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "core/cache/shared_cache.h"

namespace sartor::cli {

/// `sartor cache ls|rm|stats|verify` works on a directory that Options::cache_directory names,
/// `sartor cache shared` on a server that Options::shared_cache names.
class CacheCommand {
public:
  explicit CacheCommand(CLI::App &app);

  /// Runs after the command line has been parsed. Returns false if verify() has found and reported
  /// damage, otherwise true. Fails with file_error, unknown_handler, store_unreachable.
  Result<bool> run() const;

private:
  CLI::App *command_;
  CLI::App *list_;
  CLI::App *remove_;
  CLI::App *stats_;
  CLI::App *verify_;
  CLI::App *shared_;
  std::string directory_;
  std::string key_;
  std::string handler_;
  core::SharedCacheOptions shared_options_;
  bool all_ = false;
  bool json_ = false;
  bool delete_ = false;
};

} // namespace sartor::cli

#endif
