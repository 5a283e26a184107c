// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_SOCKETS_H
#define SEND_SOCKETS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "peer.h"

namespace sartor::send {

/// An lwIP socket connected to that address (`10.0.0.2`), for which the peer answers. Throws
/// std::runtime_error.
int open_datagrams(Peer &peer, const char *address, std::uint16_t port);
int open_stream(Peer &peer, const char *address, std::uint16_t port);

/// The port of the measured sockets.
constexpr std::uint16_t kDiscard = 9;

/// Sockets that are connected to the peer.
struct Ends {
  std::vector<int> datagrams;
  int stream;
};
/// Starts lwIP over a link to a peer, with so many datagram sockets, and makes the link drop all
/// frames from then on. Throws as open_datagrams(), open_stream().
Ends begin_measuring(Wire &wire, Peer &peer, std::size_t datagrams);

/// Connects a datagram socket to another address. 0, or -1 with errno.
int redirect(int socket, const char *address, std::uint16_t port);

/// As lwip_bind(), to 127.0.0.1.
int bind_to_loopback(int socket, std::uint16_t port);

/// The sequence number of a stream's next byte; takes the monitor.
std::uint32_t next_sequence(int socket);

} // namespace sartor::send

#endif
