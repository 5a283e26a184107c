// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_THROUGHPUT_H
#define SEND_THROUGHPUT_H

#include <string>
#include <vector>

namespace sartor::send {

/// Seconds until the same messages had arrived, round by round.
struct Throughput {
  std::string name; ///< Such as udp64.
  std::size_t size = 0;
  std::size_t messages = 0; ///< In one round.
  std::vector<double> generic;
  std::vector<double> specialized;
};

enum class Over : unsigned char { loopback, tap };

struct Streams {
  std::vector<Throughput> all;
  std::string missing; ///< The reason if there are no measurements.
};

/// Streams of messages to a receiver: lwIP's own, over its loopback interface, or the kernel's,
/// over a tap device. Measured in a child process.
Streams measure_throughput(Over over, std::size_t rounds);

} // namespace sartor::send

#endif
