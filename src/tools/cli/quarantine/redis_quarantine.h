// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_QUARANTINE_REDIS_QUARANTINE_H
#define SARTOR_TOOLS_CLI_QUARANTINE_REDIS_QUARANTINE_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/cache/shared_cache.h"
#include "core/quarantine/quarantine_entry.h"

namespace sartor::cli {

/// The quarantine of programs that share a Redis server and a key (Options::share_quarantine).
/// Entries that are not signed with the key count for nothing: they are neither listed nor removed.
/// All functions fail with store_unreachable.
class RedisQuarantine {
public:
  /// Fails with store_unreachable or file_error.
  static Result<std::unique_ptr<RedisQuarantine>> open(core::SharedCacheOptions options);

  /// The newest first.
  Result<std::vector<core::QuarantineEntry>> list();
  /// False if there was no such entry.
  Result<bool> remove(const std::string &key);
  /// The text for a server that has entries which do not count; empty otherwise.
  [[nodiscard]] const std::string &refused() const { return refused_; }

private:
  RedisQuarantine() = default;
  /// The failure since the last call.
  Result<void> problem();

  std::unique_ptr<core::SharedCache> cache_;
  std::optional<Failure> failure_;
  std::string refused_;
};

} // namespace sartor::cli

#endif
