// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_REDIS_H
#define SARTOR_CORE_CACHE_REDIS_H

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file_handle.h"
#include "base/result.h"
#include "core/cache/redis_tls.h"

struct redisContext; // NOLINT(readability-identifier-naming): hiredis's

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
  std::filesystem::path ca_file{};       ///< See RedisIdentity.
};

/// A connection to a Redis server, on which no command takes longer than about `timeout`, whatever
/// the peer does. Raises no SIGPIPE. For one thread at a time.
class RedisLink {
public:
  /// Reads the password each time, so that a changed one is used without a restart. No answer may
  /// have more than `most` bytes. Fails with store_unreachable, and with file_error for the
  /// password. Resolving a host name takes as long as the resolver does.
  static Result<std::unique_ptr<RedisLink>>
  connect(const RedisServer &server, std::chrono::milliseconds timeout, std::size_t most);

  /// Sends one command and returns the string of the answer, or nothing if the answer is null.
  /// Fails with store_unreachable on no answer, an invalid one, or an error of the server; the link
  /// must not be used any more then.
  Result<std::optional<std::string>> command(std::span<const std::string_view> words);

  /// False if the program has closed the descriptor. All other members fail then.
  [[nodiscard]] bool is_still_ours() const { return identity_of(*context_) == identity_; }

  ~RedisLink();
  RedisLink(const RedisLink &) = delete;
  RedisLink &operator=(const RedisLink &) = delete;

private:
  using Deadline = RedisTls::Deadline;

  struct Close {
    void operator()(redisContext *context) const;
  };

  RedisLink(std::unique_ptr<redisContext, Close> context, std::unique_ptr<RedisTls> tls,
            std::string name, std::chrono::milliseconds timeout, std::size_t most)
      : context_(std::move(context)), tls_(std::move(tls)), name_(std::move(name)),
        timeout_(timeout), most_(most), identity_(identity_of(*context_)) {}
  Result<void> log_in(const RedisServer &server);
  static base::FileIdentity identity_of(const redisContext &context);
  Result<void> send(std::string_view bytes, Deadline until);
  /// Passes received bytes to the parser.
  Result<void> receive(Deadline until);
  [[nodiscard]] std::unexpected<Failure> lost(std::string why) const;

  std::unique_ptr<redisContext, Close> context_;
  std::unique_ptr<RedisTls> tls_; ///< Uses the context's socket. Null: no encryption.
  const std::string name_;
  const std::chrono::milliseconds timeout_;
  const std::size_t most_;
  const base::FileIdentity identity_; ///< Identity of the context's socket.
};

} // namespace sartor::core

#endif
