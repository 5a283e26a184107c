// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/server_socket.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;

/// The time limit for a connection to one address of a host.
constexpr auto kPatience = 3s;
constexpr int kTickMilliseconds = 20;
/// How long sent bytes may remain unacknowledged.
constexpr unsigned kLostMilliseconds = 10'000;

std::unexpected<std::string> error_of(int error) {
  return std::unexpected(std::generic_category().message(error));
}

void find_out_when_lost(int socket) {
  const int on = 1;
  const int idle = 10;
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kLostMilliseconds, sizeof kLostMilliseconds);
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

std::expected<int, std::string> connect_to(const sockaddr *address, socklen_t size,
                                           const Channel::GoOn &go_on) {
  const int made = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0)
    return error_of(errno);
  const auto failed = [&](int error) {
    close(made);
    return error_of(error);
  };
  if (address->sa_family != AF_UNIX)
    find_out_when_lost(made);
  if (connect(made, address, size) == 0)
    return made;
  if (errno != EINPROGRESS)
    return failed(errno);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  pollfd wanted{made, POLLOUT, 0};
  while (poll(&wanted, 1, kTickMilliseconds) <= 0)
    if (std::chrono::steady_clock::now() > until || !go_on())
      return failed(ETIMEDOUT);
  int error = 0;
  socklen_t bytes = sizeof error;
  getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (error != 0)
    return failed(error);
  return made;
}

} // namespace

std::expected<int, std::string> connect_to(const ServerAddress &address,
                                           const Channel::GoOn &go_on) {
  if (!address.path.empty()) {
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::memcpy(local.sun_path, address.path.data(), address.path.size());
    return connect_to(reinterpret_cast<const sockaddr *>(&local), sizeof local, go_on);
  }
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo *found = nullptr;
  if (const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found))
    return std::unexpected(gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  std::expected<int, std::string> made = error_of(EHOSTUNREACH);
  for (const addrinfo *each = found; each && !made; each = each->ai_next)
    made = connect_to(each->ai_addr, each->ai_addrlen, go_on);
  return made;
}

} // namespace sartor::remote
