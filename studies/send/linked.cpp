// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linked.h"

#include <array>
#include <cstdint>
#include <stdexcept>

#include <lwip/sockets.h>

#include "peer.h"
#include "sockets.h"
#include "within.h"

namespace sartor::send {

namespace {

constexpr unsigned kMessages = 8;

std::array<std::uint8_t, 1460> data;
Wire wire;

LinkedPath path_of(std::string name, int socket, std::size_t size, std::function<void()> prepare) {
  const auto send = [socket, size] {
    for (unsigned i = 0; i < kMessages; ++i) {
      const WithinMonitor within;
      if (lwip_send(socket, data.data(), size, MSG_DONTWAIT) != static_cast<ssize_t>(size))
        throw std::runtime_error("a message was not sent");
    }
  };
  // Lets the window grow completely, as in the middle of a stream.
  for (unsigned i = 0; i < 200; ++i) {
    send();
    prepare();
  }
  return {std::move(name), send, std::move(prepare)};
}

} // namespace

[[gnu::visibility("default")]] std::vector<LinkedPath>
linked_paths(const std::vector<std::size_t> &datagram_sizes) {
  static Peer peer(wire, nullptr);
  const Ends ends = begin_measuring(wire, peer, datagram_sizes.size());
  std::vector<LinkedPath> paths;
  for (std::size_t i = 0; i < datagram_sizes.size(); ++i)
    paths.push_back(path_of("udp" + std::to_string(datagram_sizes[i]), ends.datagrams[i],
                            datagram_sizes[i], [] {}));
  paths.push_back(path_of("tcp", ends.stream, data.size(), [stream = ends.stream] {
    peer.expect(next_sequence(stream));
    peer.acknowledge(0xffff);
  }));
  return paths;
}

} // namespace sartor::send
