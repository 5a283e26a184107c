// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STORE_REDIS_H
#define SARTOR_STORE_REDIS_H

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "observe/result.h"

struct redisContext; // NOLINT(readability-identifier-naming): hiredis's

namespace sartor::store {

/// Where a Redis server is, and as whom to talk to it.
struct RedisAddress {
  std::string path; ///< Of its socket. Empty: it is at `host` and `port`.
  std::string host;
  int port = 6379;
  int database = 0;
  std::string user;
  std::string password;

  /// For people: without the password.
  [[nodiscard]] std::string text() const;
  bool operator==(const RedisAddress &) const = default;
};

/// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]` or `unix:/PATH`. Fails with
/// store_unreachable; the failure does not show a password.
Result<RedisAddress> parse_redis_address(std::string_view text);

/// A connection to a Redis server, on which no command takes longer than about `timeout`, whatever
/// the other side does; nor does one raise SIGPIPE. For one thread at a time.
class RedisLink {
public:
  /// No answer may have more than `most` bytes. Fails with store_unreachable. Looking up a host's
  /// name takes as long as the resolver does.
  static Result<std::unique_ptr<RedisLink>>
  connect(const RedisAddress &address, std::chrono::milliseconds timeout, std::size_t most);

  /// Sends one command and gives the string that is the answer, or nothing where there is none.
  /// Fails with store_unreachable, when nothing or garbage comes back and when the server refuses
  /// the command; the link must not be used any more then.
  Result<std::optional<std::string>> command(std::span<const std::string_view> words);

private:
  struct Close {
    void operator()(redisContext *context) const;
  };

  RedisLink(std::unique_ptr<redisContext, Close> context, std::string name,
            std::chrono::milliseconds timeout, std::size_t most)
      : context_(std::move(context)), name_(std::move(name)), timeout_(timeout), most_(most) {}
  [[nodiscard]] std::unexpected<Failure> lost(std::string why) const;

  std::unique_ptr<redisContext, Close> context_;
  const std::string name_;
  const std::chrono::milliseconds timeout_;
  const std::size_t most_;
};

} // namespace sartor::store

#endif
