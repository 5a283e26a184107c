// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_CACHE_H
#define SARTOR_TOOLS_CLI_CACHE_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "core/cache/shared_cache.h"

namespace sartor::cli {

/// `sartor cache ls|rm|stats|verify` looks at a directory that Options::cache_directory names,
/// `sartor cache shared` at a server that Options::shared_cache does.
class CacheCommand {
public:
  explicit CacheCommand(CLI::App &app);

  /// After the command line has been parsed. True if all is well, false if verify() has found
  /// damage and told of it. Fails with file_error, unknown_handler, store_unreachable.
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
