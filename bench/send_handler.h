// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_SEND_HANDLER_H
#define SARTOR_BENCH_SEND_HANDLER_H

#include <cstddef>
#include <cstdint>

struct Connection {
  std::size_t most; ///< Bytes of a message that go into a packet.
  bool with_sum;    ///< Over what is sent, besides the headers.
  unsigned version; ///< Of IP.
  unsigned from_port;
  unsigned to_port;
  unsigned char from[16];
  unsigned char to[16];
};

/// A send path: cuts a message into UDP datagrams with their IP headers. Returns the bytes of all.
extern "C" std::size_t bench_send(const Connection *connection, const unsigned char *message,
                                  std::size_t size, unsigned char *packets);

#endif
