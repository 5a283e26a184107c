// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REDIS_REDIS_TLS_H
#define SARTOR_CORE_REDIS_REDIS_TLS_H

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sartor::core {

/// A TLS connection over the caller's socket. For one thread at a time. The caller must block
/// SIGPIPE.
class RedisTls {
public:
  using Deadline = std::chrono::steady_clock::time_point;

  virtual ~RedisTls() = default;
  /// Reads at least one byte. Fails with store_unreachable, also if the peer has closed.
  virtual Result<std::size_t> read(std::span<char> into, Deadline until) = 0;
  /// Returns the number of bytes sent: at least one. Fails with store_unreachable.
  virtual Result<std::size_t> write(std::string_view bytes, Deadline until) = 0;
};

/// Identity that the server must prove.
struct RedisIdentity {
  std::string host;              ///< Name or IP address that its certificate must have.
  std::filesystem::path ca_file; ///< PEM certificates of accepted CAs. Empty: the system's.
};

/// Performs a handshake over a connected socket, TLS 1.2 or later, and verifies the server's
/// certificate and host name. Makes the socket non-blocking. Fails with store_unreachable.
Result<std::unique_ptr<RedisTls>> connect_tls(int socket, const RedisIdentity &server,
                                              RedisTls::Deadline until);

} // namespace sartor::core

#endif
