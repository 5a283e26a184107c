// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace router {

namespace {

constexpr std::size_t longest_frame = 9216;

void check(long result, const std::string &what) {
  if (result < 0)
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

Link::Link(const std::string &interface)
    : socket_(socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      buffer_(longest_frame) {
  check(socket_, interface);
  try {
    ifreq request{};
    interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
    check(ioctl(socket_, SIOCGIFHWADDR, &request), interface);
    std::memcpy(mac_.data(), request.ifr_hwaddr.sa_data, mac_.size());

    constexpr int yes = 1;
    check(setsockopt(socket_, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes), interface);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
    check(bind(socket_, reinterpret_cast<const sockaddr *>(&address), sizeof address), interface);
  } catch (...) {
    close(socket_);
    throw;
  }
}

Link::~Link() {
  if (socket_ >= 0)
    close(socket_);
}

Link::Link(Link &&other) noexcept
    : socket_(std::exchange(other.socket_, -1)), mac_(other.mac_),
      buffer_(std::move(other.buffer_)) {}

void Link::send(std::span<const std::uint8_t> frame) const {
  check(::send(socket_, frame.data(), frame.size(), 0), "sending a frame");
}

std::span<const std::uint8_t> Link::receive() {
  const ssize_t size = recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (size < 0 && errno != EAGAIN && errno != EINTR)
    check(size, "receiving a frame");
  return {buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

} // namespace router
