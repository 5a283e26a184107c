// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REDIS_REDIS_LINK_H
#define SARTOR_CORE_REDIS_REDIS_LINK_H

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file/file_handle.h"
#include "core/cache/redis.h"
#include "core/redis/redis_tls.h"

struct redisContext; // NOLINT(readability-identifier-naming): hiredis's

namespace sartor::core {

/// A connection by hiredis, over TLS if the address says so.
class HiredisLink final : public RedisLink {
public:
  /// See RedisLibrary::connect.
  static Result<std::unique_ptr<RedisLink>>
  connect(const RedisServer &server, const std::string_view *password, RedisLimits limits);

  Result<std::optional<std::string>> command(std::span<const std::string_view> words) override;
  [[nodiscard]] bool is_still_ours() const override { return identity_of(*context_) == identity_; }

  ~HiredisLink() override;
  HiredisLink(const HiredisLink &) = delete;
  HiredisLink &operator=(const HiredisLink &) = delete;

private:
  using Deadline = RedisTls::Deadline;

  struct Close {
    void operator()(redisContext *context) const;
  };

  HiredisLink(std::unique_ptr<redisContext, Close> context, std::unique_ptr<RedisTls> tls,
              std::string name, RedisLimits limits)
      : context_(std::move(context)), tls_(std::move(tls)), name_(std::move(name)), limits_(limits),
        identity_(identity_of(*context_)) {}
  Result<void> log_in(const RedisAddress &address, const std::string_view *password);
  static base::FileIdentity identity_of(const redisContext &context);
  Result<void> send(std::string_view bytes, Deadline until);
  /// Passes received bytes to the parser.
  Result<void> receive(Deadline until);
  [[nodiscard]] std::unexpected<Failure> lost(std::string why) const;

  std::unique_ptr<redisContext, Close> context_;
  std::unique_ptr<RedisTls> tls_; ///< Uses the context's socket. Null: no encryption.
  const std::string name_;
  const RedisLimits limits_;
  const base::FileIdentity identity_; ///< Identity of the context's socket.
};

} // namespace sartor::core

#endif
