// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_SOCKETS_H
#define ECHO_SOCKETS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sartor::echo {

/// Non-blocking connections to a server over the kernel's TCP.
class Sockets {
public:
  /// Connects all sockets. Throws std::system_error, also on a timeout after so many seconds.
  Sockets(const std::string &address, std::uint16_t port, std::size_t count, int seconds);
  ~Sockets();
  Sockets(const Sockets &) = delete;
  Sockets &operator=(const Sockets &) = delete;

  /// Sends; buffers the bytes that do not fit and sends them later.
  void send(std::size_t connection, std::span<const std::uint8_t> data);

  using Data = std::function<void(std::size_t connection, std::span<const std::uint8_t> data)>;
  /// Waits at most that long until data can be read, and reads it. Throws std::system_error if a
  /// connection has ended.
  void take(std::int64_t nanoseconds, const Data &data);

private:
  struct Connection {
    int socket;
    std::vector<std::uint8_t> unsent;
  };
  void connect_all(const std::string &address, std::uint16_t port, int seconds);
  void close_all();
  void go_on(Connection &connection);

  int events_;
  std::vector<Connection> connections_;
};

} // namespace sartor::echo

#endif
