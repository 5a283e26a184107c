// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sockets.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <lwip/api.h>
#include <lwip/inet.h>
#include <lwip/sockets.h>
#include <lwip/tcp.h>
extern "C" { // some of lwIP's headers lack it
#include <lwip/priv/sockets_priv.h>
}

#include "clock.h"
#include "within.h"

namespace sartor::send {

namespace {

sockaddr_in to_address(const char *address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_len = sizeof result;
  result.sin_family = AF_INET;
  result.sin_port = lwip_htons(port);
  ip4_addr_t parsed;
  if (ip4addr_aton(address, &parsed) == 0)
    throw std::runtime_error(std::string(address) + " is no address");
  result.sin_addr.s_addr = parsed.addr;
  return result;
}

[[noreturn]] void fail(const char *what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

} // namespace

int redirect(int socket, const char *address, std::uint16_t port) {
  const sockaddr_in to = to_address(address, port);
  return lwip_connect(socket, reinterpret_cast<const sockaddr *>(&to), sizeof to);
}

int bind_to_loopback(int socket, std::uint16_t port) {
  const sockaddr_in to = to_address("127.0.0.1", port);
  return lwip_bind(socket, reinterpret_cast<const sockaddr *>(&to), sizeof to);
}

int open_datagrams(Peer &peer, const char *address, std::uint16_t port) {
  const int socket = lwip_socket(AF_INET, SOCK_DGRAM, 0);
  if (socket < 0 || redirect(socket, address, port) != 0)
    fail("a socket for datagrams");
  lwip_send(socket, "", 1, 0); // makes lwIP resolve the neighbour
  peer.answer();
  return socket;
}

int open_stream(Peer &peer, const char *address, std::uint16_t port) {
  const int socket = lwip_socket(AF_INET, SOCK_STREAM, 0);
  if (socket < 0)
    fail("a socket for a stream");
  // Only this thread can make the peer answer, so it must not block.
  const int before = lwip_fcntl(socket, F_GETFL, 0);
  lwip_fcntl(socket, F_SETFL, before | O_NONBLOCK);
  if (redirect(socket, address, port) != 0 && errno != EINPROGRESS)
    fail("connecting");
  peer.answer();
  lwip_fcntl(socket, F_SETFL, before);
  return socket;
}

std::uint32_t next_sequence(int socket) {
  const WithinMonitor within;
  return lwip_socket_dbg_get_socket(socket)->conn->pcb.tcp->snd_nxt;
}

Ends begin_measuring(Wire &wire, Peer &peer, std::size_t datagrams) {
  send_stop_clock(1000);
  stack_start();
  wire_up(&wire, "10.0.0.1", "255.255.255.0", "10.0.0.254", wire_collect);
  peer.answer();
  Ends ends;
  for (std::size_t i = 0; i < datagrams; ++i)
    ends.datagrams.push_back(open_datagrams(peer, "10.0.0.2", kDiscard));
  ends.stream = open_stream(peer, "10.0.0.2", kDiscard);
  const WithinMonitor within;
  wire_set_driver(&wire, wire_drop);
  return ends;
}

} // namespace sartor::send
