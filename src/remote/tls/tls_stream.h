// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_TLS_TLS_STREAM_H
#define SARTOR_REMOTE_TLS_TLS_STREAM_H

#include <memory>
#include <string_view>

#include <openssl/ssl.h>

#include "base/file/file_handle.h"
#include "base/keys.h"
#include "remote/protocol/channel.h"
#include "remote/tls/tls_library.h"

namespace sartor::tls {

/// The client's side of TLS over a socket, which the destructor closes.
class TlsStream final : public remote::Stream {
public:
  /// See TlsLibrary::connect().
  static Result<Connected> connect(int socket, const base::SecretKey &own,
                                   std::span<const base::PublicKey> accepted,
                                   const remote::Channel::GoOn &go_on);

  Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                          std::chrono::milliseconds patience) override;
  Result<std::size_t> write(std::string_view bytes, std::chrono::milliseconds patience) override;
  bool has_ended() override;
  void end() override;
  [[nodiscard]] bool is_still_ours() const override { return socket_.is_still_ours(); }

private:
  using Connection = std::unique_ptr<SSL, decltype(&SSL_free)>;

  explicit TlsStream(int socket) : socket_(socket), connection_(nullptr, SSL_free) {}

  Result<void> shake_hands(const remote::Channel::GoOn &go_on);
  /// Waits until a call that OpenSSL has interrupted may be repeated. Returns false if the other
  /// side has ended.
  Result<bool> wait_for(int returned, std::chrono::milliseconds patience);

  /// Closed without a TLS message, because a parent process may also have it.
  base::FileHandle socket_;
  Connection connection_;
};

} // namespace sartor::tls

#endif
