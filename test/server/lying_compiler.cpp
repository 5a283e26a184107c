// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compiler that answers each greeting with 100 KiB that describe no toolchain.
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

#include "remote/protocol/channel.h"
#include "remote/protocol/child.h"

namespace {

/// Returns the last of the sockets of the next message.
std::optional<int> next_socket(int over) {
  char nothing = 0;
  iovec bytes{&nothing, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  const cmsghdr *header = recvmsg(over, &message, 0) > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!header)
    return std::nullopt;
  int socket = -1;
  const std::size_t size = header->cmsg_len - CMSG_LEN(0);
  std::memcpy(&socket, CMSG_DATA(header) + size - sizeof socket, sizeof socket);
  return socket;
}

} // namespace

int main() {
  using namespace sartor::remote;
  // The process that is to fork compilers; it answers for each of them itself.
  while (const auto sessions = next_socket(kSessionsSocket))
    while (const auto socket = next_socket(*sessions)) {
      Channel channel(std::make_unique<SocketStream>(*socket), kMostAnswer);
      if (const auto greeting = channel.receive(always); greeting && *greeting)
        (void)channel.send(Kind::welcome, std::string(100U << 10, 'x'), always);
    }
}
