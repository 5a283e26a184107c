// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_THROUGHPUT_H
#define SEND_THROUGHPUT_H

#include <string>
#include <vector>

namespace sartor::send {

/// Seconds that the same messages took to arrive, round by round.
struct Throughput {
  std::string name; ///< udp64
  std::size_t size = 0;
  std::size_t messages = 0; ///< In a round.
  std::vector<double> generic;
  std::vector<double> specialized;
};

enum class Over : unsigned char { loopback, tap };

struct Streams {
  std::vector<Throughput> all;
  std::string missing; ///< Why there are none.
};

/// A stream of messages that are received at the other end, which is lwIP's, over its loopback
/// interface, or the kernel's, over a tap device. In a process of its own.
Streams measure_throughput(Over over, std::size_t rounds);

} // namespace sartor::send

#endif
