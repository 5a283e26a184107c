// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An HTTP client that can send arbitrary bytes.
#ifndef SARTOR_TEST_OPERATE_HTTP_CLIENT_H
#define SARTOR_TEST_OPERATE_HTTP_CLIENT_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sartor::server {

class HttpClient {
public:
  explicit HttpClient(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
      close(socket_);
      socket_ = -1;
    }
  }
  ~HttpClient() {
    if (socket_ >= 0)
      close(socket_);
  }
  HttpClient(const HttpClient &) = delete;
  HttpClient &operator=(const HttpClient &) = delete;

  void say(std::string_view bytes) const {
    (void)send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// Reads until the server closes the connection.
  [[nodiscard]] std::string hear() const {
    std::string all;
    std::array<char, 4096> piece;
    for (ssize_t taken = 0; (taken = recv(socket_, piece.data(), piece.size(), 0)) > 0;)
      all.append(piece.data(), static_cast<std::size_t>(taken));
    return all;
  }

private:
  int socket_;
};

inline std::string get(int port, const std::string &path) {
  const HttpClient client(port);
  client.say("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return client.hear();
}

} // namespace sartor::server

#endif
