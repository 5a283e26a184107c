// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linked.h"

#include <array>
#include <cstdint>
#include <stdexcept>

#include <lwip/sockets.h>

#include "clock.h"
#include "peer.h"
#include "sockets.h"
#include "within.h"

namespace sartor::send {

namespace {

constexpr std::uint16_t kDiscard = 9;
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
  // All the window that there is, as in the middle of a stream.
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
  send_stop_clock(1000);
  stack_start();
  wire_up(&wire, "10.0.0.1", "255.255.255.0", "10.0.0.254", wire_collect);
  peer.answer();
  std::vector<int> sockets;
  for (std::size_t i = 0; i < datagram_sizes.size(); ++i)
    sockets.push_back(open_datagrams(peer, "10.0.0.2", kDiscard));
  const int stream = open_stream(peer, "10.0.0.2", kDiscard);
  {
    const WithinMonitor within;
    wire_set_driver(&wire, wire_drop);
  }
  std::vector<LinkedPath> paths;
  for (std::size_t i = 0; i < datagram_sizes.size(); ++i)
    paths.push_back(
        path_of("udp" + std::to_string(datagram_sizes[i]), sockets[i], datagram_sizes[i], [] {}));
  paths.push_back(path_of("tcp", stream, data.size(), [stream] {
    peer.expect(next_sequence(stream));
    peer.acknowledge(0xffff);
  }));
  return paths;
}

} // namespace sartor::send
