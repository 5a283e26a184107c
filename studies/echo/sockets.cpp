// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sockets.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sartor::echo {

namespace {

constexpr std::size_t connecting_at_a_time = 64;

long check(long result, const std::string &what) {
  if (result < 0)
    throw std::system_error(errno, std::generic_category(), what);
  return result;
}

sockaddr_in where(const std::string &address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  if (inet_pton(AF_INET, address.c_str(), &result.sin_addr) != 1)
    throw std::system_error(EINVAL, std::generic_category(), address);
  return result;
}

// Waits until a socket is connected; throws if that fails.
void finish(int socket, std::chrono::steady_clock::time_point end) {
  pollfd wanted{socket, POLLOUT, 0};
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  if (check(poll(&wanted, 1, std::max(0, static_cast<int>(left.count()))), "connecting") == 0)
    errno = ETIMEDOUT, check(-1, "connecting");
  int error = 0;
  socklen_t size = sizeof error;
  check(getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size), "connecting");
  if (error != 0)
    throw std::system_error(error, std::generic_category(), "connecting");
}

} // namespace

Sockets::Sockets(const std::string &address, std::uint16_t port, std::size_t count, int seconds)
    : events_(static_cast<int>(check(epoll_create1(EPOLL_CLOEXEC), "epoll"))),
      connections_(count, Connection{-1, {}}) {
  try {
    connect_all(address, port, seconds);
  } catch (...) {
    close_all();
    throw;
  }
}

void Sockets::connect_all(const std::string &address, std::uint16_t port, int seconds) {
  const sockaddr_in server = where(address, port);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    int &socket = connections_[i].socket;
    socket = static_cast<int>(
        check(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "a socket"));
    constexpr int yes = 1;
    check(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "a socket");
    if (connect(socket, reinterpret_cast<const sockaddr *>(&server), sizeof server) != 0 &&
        errno != EINPROGRESS)
      check(-1, address);
    epoll_event wanted{.events = EPOLLIN, .data = {.u64 = i}};
    check(epoll_ctl(events_, EPOLL_CTL_ADD, socket, &wanted), "epoll");
    if (i >= connecting_at_a_time)
      finish(connections_[i - connecting_at_a_time].socket, end);
  }
  for (const Connection &each : connections_)
    finish(each.socket, end);
}

Sockets::~Sockets() { close_all(); }

void Sockets::close_all() {
  for (const Connection &each : connections_)
    if (each.socket >= 0)
      close(each.socket);
  close(events_);
}

void Sockets::send(std::size_t connection, std::span<const std::uint8_t> data) {
  Connection &wanted = connections_[connection];
  wanted.unsent.insert(wanted.unsent.end(), data.begin(), data.end());
  go_on(wanted);
}

void Sockets::go_on(Connection &connection) {
  if (connection.unsent.empty())
    return;
  const ssize_t sent =
      ::send(connection.socket, connection.unsent.data(), connection.unsent.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN)
    check(sent, "sending");
  connection.unsent.erase(connection.unsent.begin(),
                          connection.unsent.begin() + std::max<ssize_t>(sent, 0));
}

void Sockets::take(std::int64_t nanoseconds, const Data &data) {
  std::array<epoll_event, 256> ready;
  const timespec wait{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  const long count = epoll_pwait2(events_, ready.data(), ready.size(), &wait, nullptr);
  if (count < 0 && errno != EINTR)
    check(count, "epoll");
  for (long i = 0; i < count; ++i) {
    const std::size_t connection = ready[static_cast<std::size_t>(i)].data.u64;
    std::array<std::uint8_t, 4096> bytes;
    const ssize_t size = recv(connections_[connection].socket, bytes.data(), bytes.size(), 0);
    if (size == 0)
      throw std::system_error(ECONNRESET, std::generic_category(), "the server has closed");
    if (size < 0 && errno != EAGAIN)
      check(size, "receiving");
    if (size > 0)
      data(connection, std::span(bytes).first(static_cast<std::size_t>(size)));
    go_on(connections_[connection]);
  }
}

} // namespace sartor::echo
