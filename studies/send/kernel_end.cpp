// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_end.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sartor::send {

namespace {

constexpr int kBuffers = 4 << 20;

int check(int result, const char *what) {
  if (result < 0)
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
  return result;
}

sockaddr_in to_address(const char *text, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  inet_pton(AF_INET, text, &result.sin_addr);
  return result;
}

void bring_up(const char *device) {
  const int any = check(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "a socket");
  ifreq request{};
  std::strncpy(request.ifr_name, device, IFNAMSIZ - 1);
  const auto set_address = [&](unsigned long what, const char *text) {
    const sockaddr_in address = to_address(text, 0);
    std::memcpy(&request.ifr_addr, &address, sizeof address);
    check(ioctl(any, what, &request), "the tap device's address");
  };
  set_address(SIOCSIFADDR, KernelEnd::address);
  set_address(SIOCSIFNETMASK, "255.255.255.0");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  check(ioctl(any, SIOCSIFFLAGS, &request), "bringing the tap device up");
  close(any);
}

int make_tap() {
  const int tap = check(open("/dev/net/tun", O_RDWR | O_CLOEXEC), "/dev/net/tun");
  ifreq request{};
  std::strncpy(request.ifr_name, "sartor", IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  check(ioctl(tap, TUNSETIFF, &request), "a tap device");
  bring_up(request.ifr_name);
  return tap;
}

int bound(int kind) {
  const int result = check(socket(AF_INET, kind | SOCK_CLOEXEC, 0), "a socket");
  setsockopt(result, SOL_SOCKET, SO_RCVBUF, &kBuffers, sizeof kBuffers);
  const sockaddr_in address = to_address(KernelEnd::address, KernelEnd::port);
  check(bind(result, reinterpret_cast<const sockaddr *>(&address), sizeof address), "bind");
  return result;
}

} // namespace

KernelEnd::KernelEnd() {
  if (unshare(CLONE_NEWNET) != 0)
    check(unshare(CLONE_NEWUSER | CLONE_NEWNET), "a network namespace");
  tap_ = make_tap();
  const int datagrams = bound(SOCK_DGRAM);
  const int streams = bound(SOCK_STREAM);
  check(listen(streams, 4), "listen");
  std::thread([this, datagrams] { receive_datagrams(datagrams); }).detach();
  std::thread([this, streams] { receive_streams(streams); }).detach();
}

void KernelEnd::receive_datagrams(int socket) {
  std::array<char, 1U << 16U> buffer{};
  for (;;)
    if (const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0); got > 0)
      received_ += static_cast<std::uint64_t>(got);
}

void KernelEnd::receive_streams(int socket) {
  std::array<char, 1U << 16U> buffer{};
  for (;;) {
    const int stream = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
    while (stream >= 0) {
      const ssize_t got = recv(stream, buffer.data(), buffer.size(), 0);
      if (got <= 0)
        break;
      received_ += static_cast<std::uint64_t>(got);
    }
    if (stream >= 0)
      close(stream);
  }
}

} // namespace sartor::send
