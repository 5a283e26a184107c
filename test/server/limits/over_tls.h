// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A client's TLS connection to a server; the caller writes the frames.
#ifndef SARTOR_TEST_SERVER_OVER_TLS_H
#define SARTOR_TEST_SERVER_OVER_TLS_H

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/keys.h"
#include "remote/protocol/channel.h"
#include "remote/tls/identity.h"

namespace sartor::server {

/// Connects to a port of this machine.
inline int connect_to_port(int port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(made, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
    close(made);
    throw std::runtime_error("cannot connect");
  }
  return made;
}

/// Connects with a client key and accepts any server.
class OverTls final : public remote::Stream {
public:
  OverTls(int port, const std::filesystem::path &key) : socket_(connect_to_port(port)) {
    const auto own = base::SecretKey::read(key);
    if (!own)
      throw std::runtime_error(own.error().text());
    std::signal(SIGPIPE, SIG_IGN);
    context_ = tls::make_context(tls::Side::client, {&*own, 1}, any_);
    connection_.reset(SSL_new(context_.get()));
    SSL_set_fd(connection_.get(), socket_);
    good_ = SSL_connect(connection_.get()) == 1;
  }
  ~OverTls() override { close(socket_); }

  [[nodiscard]] bool is_good() const { return good_; }
  [[nodiscard]] int socket() const { return socket_; }

  Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                          std::chrono::milliseconds patience) override {
    pollfd wanted{socket_, POLLIN, 0};
    if (SSL_pending(connection_.get()) == 0 &&
        poll(&wanted, 1, static_cast<int>(patience.count())) == 0)
      return std::nullopt;
    const int taken =
        SSL_read(connection_.get(), bytes, static_cast<int>(std::min<std::size_t>(most, 1 << 20)));
    return static_cast<std::size_t>(std::max(taken, 0));
  }
  Result<std::size_t> write(std::string_view bytes,
                            std::chrono::milliseconds /*it waits*/) override {
    const std::size_t some = std::min<std::size_t>(bytes.size(), 16 << 10);
    const int sent = SSL_write(connection_.get(), bytes.data(), static_cast<int>(some));
    if (sent <= 0)
      return std::unexpected(remote::lost("has gone"));
    return static_cast<std::size_t>(sent);
  }
  bool has_ended() override {
    char byte = 0;
    return recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
  }
  void end() override { shutdown(socket_, SHUT_WR); }

private:
  struct Free {
    void operator()(SSL *connection) const { SSL_free(connection); }
  };

  int socket_;
  tls::Knows any_ = [](const base::PublicKey &) { return true; };
  tls::Context context_{nullptr, SSL_CTX_free};
  std::unique_ptr<SSL, Free> connection_;
  bool good_ = false;
};

} // namespace sartor::server

#endif
