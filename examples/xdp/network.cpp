// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "network.h"

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

void must(bool done, const char *what) {
  if (!done)
    throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in address_of(const std::string &address, std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  must(inet_pton(AF_INET, address.c_str(), &made.sin_addr) == 1, "no address");
  return made;
}

int socket_at(const std::string &address, std::uint16_t port) {
  const int made = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in here = address_of(address, port);
  must(bind(made, reinterpret_cast<const sockaddr *>(&here), sizeof here) == 0, "bind");
  return made;
}

/// Two namespaces, because packets to an address of the same namespace pass no interface.
struct Namespaces {
  int here, there;
};
Namespaces &namespaces() {
  static Namespaces both{};
  return both;
}

void enter(int space) { must(setns(space, CLONE_NEWNET) == 0, "setns"); }

int open_new() {
  must(unshare(CLONE_NEWNET) == 0, "cannot create a network namespace");
  return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

void run(const std::string &commands) {
  if (std::system(commands.c_str()) != 0)
    throw std::runtime_error("cannot create a pair of interfaces: " + commands);
}

} // namespace

Network::Network() {
  auto &[here, there] = namespaces();
  there = open_new();
  here = open_new();
  run("ip link add in type veth peer name out netns /proc/" + std::to_string(getpid()) + "/fd/" +
      std::to_string(there) + " && ip address add 10.0.0.1/24 dev in && ip link set in up");
  enter(there);
  run("ip address add 10.0.0.2/24 dev out && ip address add 10.0.0.3/24 dev out &&"
      " ip link set out up");
  enter(here);
  // The kernel brings the cable up in the background.
  constexpr std::uint16_t kDiscard = 9;
  for (int i = 0; i < 100 && send("10.0.0.2", kDiscard, 1) == 0; ++i)
    ;
}

int Network::send(const std::string &from, std::uint16_t port, int packets, int bytes) {
  const int receiver = socket_at("10.0.0.1", port);
  enter(namespaces().there);
  const int sender = socket_at(from, 0);
  enter(namespaces().here);
  const sockaddr_in to = address_of("10.0.0.1", port);
  const std::string contents(static_cast<std::size_t>(bytes), 'x');
  for (int i = 0; i < packets; ++i)
    sendto(sender, contents.data(), contents.size(), 0, reinterpret_cast<const sockaddr *>(&to),
           sizeof to);
  const timeval patience{0, 500000};
  setsockopt(receiver, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  int arrived = 0;
  char buffer[2048];
  while (arrived < packets && recv(receiver, buffer, sizeof buffer, 0) >= 0)
    ++arrived;
  close(sender);
  close(receiver);
  return arrived;
}
