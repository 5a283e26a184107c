// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_QUARANTINE_QUARANTINE_COMMAND_H
#define SARTOR_TOOLS_CLI_QUARANTINE_QUARANTINE_COMMAND_H

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "core/cache/shared_cache.h"
#include "core/quarantine/quarantine.h"
#include "tools/cli/quarantine/redis_quarantine.h"

namespace sartor::cli {

/// The quarantine of programs that this user starts without Options::state_directory.
core::Quarantine &users_quarantine();
/// Its entries, after crash markers have become some. Fails with file_error.
Result<std::vector<core::QuarantineEntry>> quarantined_for_user();

/// `sartor quarantine list|show|remove|clear`, of this machine or of a Redis server.
class QuarantineCommand {
public:
  explicit QuarantineCommand(CLI::App &app);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Fails with file_error, bad_argument.
  [[nodiscard]] Result<void> run() const;

private:
  using Entries = std::vector<core::QuarantineEntry>;

  /// Null for the quarantine of this machine.
  [[nodiscard]] Result<std::unique_ptr<RedisQuarantine>> redis() const;
  [[nodiscard]] Result<void> list_or_show(const Entries &entries) const;
  Result<void> remove_one(const Entries &entries, RedisQuarantine *shared) const;
  [[nodiscard]] Result<void> say_removed(const Result<std::size_t> &removed) const;

  CLI::App *command_;
  CLI::App *show_;
  CLI::App *remove_;
  CLI::App *clear_;
  std::string key_;
  core::SharedCacheOptions redis_;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
