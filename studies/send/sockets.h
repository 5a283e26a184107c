// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_SOCKETS_H
#define SEND_SOCKETS_H

#include <cstdint>

#include "peer.h"

namespace sartor::send {

/// A socket of lwIP's that is connected to that address (`10.0.0.2`), which the peer answers for.
/// Throws std::runtime_error.
int open_datagrams(Peer &peer, const char *address, std::uint16_t port);
int open_stream(Peer &peer, const char *address, std::uint16_t port);

/// Connects one of datagrams to another address. 0, or -1 and errno.
int redirect(int socket, const char *address, std::uint16_t port);

/// As lwip_bind(), to 127.0.0.1.
int bind_to_loopback(int socket, std::uint16_t port);

/// The sequence number that a stream's next byte will be sent with; the monitor is taken.
std::uint32_t next_sequence(int socket);

} // namespace sartor::send

#endif
