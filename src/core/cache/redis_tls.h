// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TLS to a Redis server. libsartor.so and the `sartor` command load libsartor-tls.so for it
// (load_redis_tls.cpp); sartor-server, which has OpenSSL anyway, links it
// (remote/tls/redis_tls.cpp).
#ifndef SARTOR_CORE_CACHE_REDIS_TLS_H
#define SARTOR_CORE_CACHE_REDIS_TLS_H

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/own_library.h"
#include "base/result.h"

namespace sartor::core {

/// A TLS connection over a socket of the caller's. For one thread at a time. The caller blocks
/// SIGPIPE.
class RedisTls {
public:
  using Deadline = std::chrono::steady_clock::time_point;

  virtual ~RedisTls() = default;
  /// At least one byte. Fails with store_unreachable, also where the other side has closed.
  virtual Result<std::size_t> read(std::span<char> into, Deadline until) = 0;
  /// How many of the bytes were sent: at least one. Fails with store_unreachable.
  virtual Result<std::size_t> write(std::string_view bytes, Deadline until) = 0;
};

/// Whom to accept as the server.
struct RedisIdentity {
  std::string host;              ///< A name or an IP address that its certificate must have.
  std::filesystem::path ca_file; ///< PEM certificates that sign it. Empty: the system's.
};

/// Handshakes over a connected socket, TLS 1.2 or later, and verifies the server's certificate and
/// host name. Makes the socket non-blocking. Fails with store_unreachable.
Result<std::unique_ptr<RedisTls>> connect_tls(int socket, const RedisIdentity &server,
                                              RedisTls::Deadline until);

constexpr const char *kRedisTlsSymbol = "sartor_redis_tls_0";

struct RedisTlsLibrary : base::OwnLibrary {
  decltype(&connect_tls) connect;
};

} // namespace sartor::core

#endif
