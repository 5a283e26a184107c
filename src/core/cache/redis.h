// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Redis. libsartor.so, the `sartor` command and sartor-server load libsartor-redis.so for it
// (load_redis.cpp), which depends on hiredis and OpenSSL.
#ifndef SARTOR_CORE_CACHE_REDIS_H
#define SARTOR_CORE_CACHE_REDIS_H

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/own_library.h"
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

/// A server and the files that authenticate both sides.
struct RedisServer {
  RedisAddress address;
  std::filesystem::path password_file{}; ///< Read by read_password(). Empty: no password.
  std::filesystem::path ca_file{};       ///< PEM certificates of accepted CAs. Empty: the system's.
};

/// Bounds of a connection.
struct RedisLimits {
  std::chrono::milliseconds timeout; ///< No command takes longer than about this.
  std::size_t answer_bytes;          ///< No answer may have more bytes.
};

/// A connection to a Redis server, on which no command takes longer than the limit, whatever the
/// peer does. Raises no SIGPIPE. For one thread at a time.
class RedisLink {
public:
  virtual ~RedisLink() = default;
  RedisLink(const RedisLink &) = delete;
  RedisLink &operator=(const RedisLink &) = delete;

  /// Sends one command and returns the string of the answer, or nothing if the answer is null.
  /// Fails with store_unreachable on no answer, an invalid one, or an error of the server; the link
  /// must not be used any more then.
  virtual Result<std::optional<std::string>> command(std::span<const std::string_view> words) = 0;

  /// False if the program has closed the descriptor. All other members fail then.
  [[nodiscard]] virtual bool is_still_ours() const = 0;

protected:
  RedisLink() = default;
};

/// Connects and logs in. Reads the password each time, so that a changed one is used without a
/// restart. Fails with store_unreachable, also if libsartor-redis.so or a library that it needs is
/// missing, and with file_error for the password. Resolving a host name takes as long as the
/// resolver does.
Result<std::unique_ptr<RedisLink>> connect_redis(const RedisServer &server, RedisLimits limits);

constexpr const char *kRedisSymbol = "sartor_redis_0";

struct RedisLibrary : base::OwnLibrary {
  /// connect_redis() with the password; null: none.
  Result<std::unique_ptr<RedisLink>> (*connect)(const RedisServer &server,
                                                const std::string_view *password,
                                                RedisLimits limits);
};

} // namespace sartor::core

#endif
