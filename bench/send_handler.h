// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_SEND_HANDLER_H
#define SARTOR_BENCH_SEND_HANDLER_H

#include <cstddef>
#include <cstdint>

struct Connection {
  std::size_t most; ///< Maximum bytes of a message in a packet.
  bool with_sum;    ///< The checksum covers the payload, in addition to the headers.
  unsigned version; ///< Version of IP.
  unsigned from_port;
  unsigned to_port;
  unsigned char from[16];
  unsigned char to[16];
};

/// A send path: splits a message into UDP datagrams with their IP headers. Returns the bytes of all
/// packets.
extern "C" std::size_t bench_send(const Connection *connection, const unsigned char *message,
                                  std::size_t size, unsigned char *packets);

#endif
