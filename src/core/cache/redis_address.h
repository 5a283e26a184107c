// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_REDIS_ADDRESS_H
#define SARTOR_CORE_CACHE_REDIS_ADDRESS_H

#include <string>
#include <string_view>

#include "base/result.h"

namespace sartor::core {

/// Address of a Redis server, and the user name. Contains no secret.
struct RedisAddress {
  std::string path; ///< Path of its Unix socket. Empty: `host` and `port` are used.
  std::string host;
  int port = 6379;
  int database = 0;
  bool tls = false;
  std::string user; ///< Empty: Redis's user `default`.

  /// The format that parse_redis_address() reads.
  [[nodiscard]] std::string text() const;
  bool operator==(const RedisAddress &) const = default;
};

/// Parses `redis[s]://[USER@]HOST[:PORT][/DATABASE]` or `unix:/PATH`. Refuses a password in the
/// address: command lines and environments are visible to others. Fails with store_unreachable; the
/// failure does not contain a password.
Result<RedisAddress> parse_redis_address(std::string_view text);

} // namespace sartor::core

#endif
