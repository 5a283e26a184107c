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

/// Where a Redis server is, and which of its users to be. Holds no secret.
struct RedisAddress {
  std::string path; ///< Of its Unix socket. Empty: it is at `host` and `port`.
  std::string host;
  int port = 6379;
  int database = 0;
  bool tls = false;
  std::string user; ///< Empty: Redis's user `default`.

  /// As parse_redis_address() reads it.
  [[nodiscard]] std::string text() const;
  bool operator==(const RedisAddress &) const = default;
};

/// `redis[s]://[USER@]HOST[:PORT][/DATABASE]` or `unix:/PATH`. Refuses a password in the address:
/// command lines and environments are visible to others. Fails with store_unreachable; the failure
/// does not show a password.
Result<RedisAddress> parse_redis_address(std::string_view text);

/// A server and the files that prove who is who.
struct RedisServer {
  RedisAddress address;
  std::filesystem::path password_file{}; ///< As read_password() reads it. Empty: no password.
  std::filesystem::path ca_file{};       ///< As RedisIdentity has it.
};

/// A connection to a Redis server, on which no command takes longer than about `timeout`, whatever
/// the other side does. Raises no SIGPIPE. For one thread at a time.
class RedisLink {
public:
  /// Reads the password each time, so that a changed one is used without a restart. No answer may
  /// have more than `most` bytes. Fails with store_unreachable, and with file_error for the
  /// password. Looking up a host's name takes as long as the resolver does.
  static Result<std::unique_ptr<RedisLink>>
  connect(const RedisServer &server, std::chrono::milliseconds timeout, std::size_t most);

  /// Sends one command and returns the string that is the answer, or nothing where there is none.
  /// Fails with store_unreachable, when nothing or garbage comes back and when the server refuses
  /// the command; the link must not be used any more then.
  Result<std::optional<std::string>> command(std::span<const std::string_view> words);

  /// False where the program has closed the descriptor. All else fails then.
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
  /// Hands what has come to the parser.
  Result<void> receive(Deadline until);
  [[nodiscard]] std::unexpected<Failure> lost(std::string why) const;

  std::unique_ptr<redisContext, Close> context_;
  std::unique_ptr<RedisTls> tls_; ///< Over the context's socket. Null: bytes go as they are.
  const std::string name_;
  const std::chrono::milliseconds timeout_;
  const std::size_t most_;
  const base::FileIdentity identity_; ///< Of the context's socket.
};

} // namespace sartor::core

#endif
