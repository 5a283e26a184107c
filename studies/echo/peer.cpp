// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peer.h"

#include <algorithm>
#include <array>

#include "checksum.h"
#include "wire.h"

namespace sartor::echo {

namespace {

namespace at {
using namespace router::at;
inline constexpr std::size_t tcp = payload + router::ipv4_header_size;
inline constexpr std::size_t source_port = tcp;
inline constexpr std::size_t destination_port = tcp + 2;
inline constexpr std::size_t sequence = tcp + 4;
inline constexpr std::size_t acknowledgement = tcp + 8;
inline constexpr std::size_t length_and_flags = tcp + 12;
inline constexpr std::size_t window = tcp + 14;
inline constexpr std::size_t tcp_checksum = tcp + 16;
inline constexpr std::size_t data = tcp + 20;
} // namespace at

constexpr std::uint8_t protocol_tcp = 6;
enum Flag : std::uint8_t { fin = 1, syn = 2, rst = 4, psh = 8, ack = 16 };

// The TCP checksum of a frame's segment, including the pseudo header (RFC 9293).
std::uint16_t tcp_checksum_of(std::span<std::uint8_t> frame, std::size_t size) {
  std::fill_n(frame.begin() + static_cast<std::ptrdiff_t>(size), -size & 3U, std::uint8_t{0});
  const std::size_t segment = size - at::tcp;
  const std::uint64_t sum = std::uint64_t{router::sum_of(&frame[at::source], 8)} +
                            router::sum_of(&frame[at::tcp], (segment + 3) & ~std::size_t{3}) +
                            std::byteswap(std::uint16_t{protocol_tcp}) +
                            std::byteswap(static_cast<std::uint16_t>(segment));
  return static_cast<std::uint16_t>(~router::fold(sum));
}

} // namespace

Peer::Peer(Cable &cable, std::size_t connections) : cable_(cable), connections_(connections) {
  for (std::size_t i = 0; i < connections; ++i) {
    connections_[i].port = static_cast<std::uint16_t>(first_client_port + i);
    connections_[i].next = static_cast<std::uint32_t>(i * 0x0101'0101); // some wrap soon
  }
}

std::size_t Peer::write(const Connection &connection, std::span<const std::uint8_t> data,
                        std::uint8_t flags, std::span<std::uint8_t> frame) const {
  const std::size_t size = at::data + data.size();
  std::ranges::copy(server_mac, &frame[router::at::ether_destination]);
  std::ranges::copy(client_mac, &frame[router::at::ether_source]);
  router::store16(&frame[at::ether_type], router::type_ipv4);
  std::fill_n(&frame[at::payload], at::data - at::payload, std::uint8_t{0});
  frame[at::version_and_length] = 0x45;
  router::store16(&frame[at::total_length], static_cast<std::uint16_t>(size - at::payload));
  frame[at::ttl] = 64;
  frame[at::protocol] = protocol_tcp;
  router::store32(&frame[at::source], client_address);
  router::store32(&frame[at::destination], server_address);
  const std::uint16_t sum = router::sum_of(&frame[at::payload], router::ipv4_header_size);
  router::store(&frame[at::checksum], static_cast<std::uint16_t>(~sum));
  router::store16(&frame[at::source_port], connection.port);
  router::store16(&frame[at::destination_port], server_port);
  router::store32(&frame[at::sequence], connection.next);
  router::store32(&frame[at::acknowledgement], connection.expected);
  frame[at::length_and_flags] = (at::data - at::tcp) / 4 << 4U;
  frame[at::length_and_flags + 1] = flags;
  router::store16(&frame[at::window], connection.window);
  std::ranges::copy(data, &frame[at::data]);
  router::store(&frame[at::tcp_checksum], tcp_checksum_of(frame, size));
  return size;
}

bool Peer::transmit(Connection &connection, std::span<const std::uint8_t> data,
                    std::uint8_t flags) {
  if (cable_.to_server.is_full())
    return false;
  cable_.to_server.push(write(connection, data, flags, cable_.to_server.room()));
  connection.next +=
      static_cast<std::uint32_t>(data.size()) + ((flags & (syn | fin)) != 0 ? 1U : 0U);
  return true;
}

void Peer::open(std::size_t connection) {
  Connection &opened = connections_[connection];
  opened.state = State::opening;
  opened.expected = 0;
  opened.window = Connection{}.window;
  transmit(opened, {}, syn);
}

bool Peer::send(std::size_t connection, std::span<const std::uint8_t> data, bool finish) {
  return transmit(connections_[connection], data,
                  static_cast<std::uint8_t>(ack | psh | (finish ? fin : 0)));
}

void Peer::acknowledge(std::size_t connection) { transmit(connections_[connection], {}, ack); }

void Peer::set_window(std::size_t connection, std::uint16_t bytes) {
  connections_[connection].window = bytes;
}

void Peer::reset(std::size_t connection) {
  transmit(connections_[connection], {}, rst | ack);
  vanish(connection);
}

void Peer::vanish(std::size_t connection) { connections_[connection].state = State::closed; }

void Peer::send_frame(std::span<const std::uint8_t> frame) {
  if (cable_.to_server.is_full())
    return;
  std::ranges::copy(frame, cable_.to_server.room().begin());
  cable_.to_server.push(frame.size());
}

std::vector<std::uint8_t> Peer::segment(std::size_t connection,
                                        std::span<const std::uint8_t> data) {
  std::vector<std::uint8_t> frame(Frames::longest);
  frame.resize(write(connections_[connection], data, ack | psh, frame));
  return frame;
}

std::size_t Peer::window(std::size_t connection) const {
  const Connection &asked = connections_[connection];
  const std::size_t on_its_way = asked.next - asked.taken_to;
  return on_its_way >= asked.offered ? 0 : asked.offered - on_its_way;
}

void Peer::take(const Data &data) {
  while (!cable_.to_clients.is_empty()) {
    const EchoFrame taken = cable_.to_clients.take();
    const std::span<const std::uint8_t> frame(taken.bytes, taken.size);
    if (router::load16(&frame[at::ether_type]) == router::type_arp)
      answer_arp(frame);
    else
      take_segment(frame, data);
  }
}

void Peer::introduce() { send_arp(1); }

void Peer::answer_arp(std::span<const std::uint8_t> request) {
  if (router::load16(&request[at::arp_operation]) == 1 &&
      router::load32(&request[at::arp_target]) == client_address)
    send_arp(2);
}

void Peer::send_arp(std::uint16_t operation) {
  std::array<std::uint8_t, router::arp_frame_size> frame{};
  std::ranges::copy(server_mac, &frame[router::at::ether_destination]);
  std::ranges::copy(client_mac, &frame[router::at::ether_source]);
  router::store16(&frame[at::ether_type], router::type_arp);
  // Ethernet, IPv4, and the lengths of their addresses
  std::ranges::copy(std::to_array<std::uint8_t>({0, 1, 8, 0, 6, 4}), &frame[at::payload]);
  router::store16(&frame[at::arp_operation], operation);
  std::ranges::copy(client_mac, &frame[at::arp_sender_mac]);
  router::store32(&frame[at::arp_sender], client_address);
  std::ranges::copy(server_mac, &frame[at::arp_target_mac]);
  router::store32(&frame[at::arp_target], server_address);
  send_frame(frame);
}

void Peer::take_segment(std::span<const std::uint8_t> frame, const Data &data) {
  const std::size_t index =
      std::size_t{router::load16(&frame[at::destination_port])} - first_client_port;
  if (index >= connections_.size())
    return;
  Connection &connection = connections_[index];
  const std::uint8_t flags = frame[at::length_and_flags + 1];
  const std::uint32_t sequence = router::load32(&frame[at::sequence]);
  if (connection.state == State::closed)
    return; // a vanished connection does not answer
  if ((flags & rst) != 0) {
    connection.state = State::reset;
    ++unexpected_;
    return;
  }
  connection.taken_to = router::load32(&frame[at::acknowledgement]);
  connection.offered = router::load16(&frame[at::window]);
  if (connection.state == State::opening && (flags & syn) != 0) {
    connection.expected = sequence + 1;
    connection.state = State::open;
    acknowledge(index);
    return;
  }
  const std::size_t begin = at::tcp + std::size_t{4} * (frame[at::length_and_flags] >> 4U);
  const std::size_t end = at::payload + router::load16(&frame[at::total_length]);
  if ((end > begin || (flags & fin) != 0) && sequence != connection.expected) {
    ++unexpected_;
    acknowledge(index); // a retransmission
    return;
  }
  if (end > begin) {
    connection.expected += static_cast<std::uint32_t>(end - begin);
    data(index, frame.subspan(begin, end - begin));
  }
  if ((flags & fin) != 0) {
    ++connection.expected;
    ++unexpected_;
    connection.state = State::ended;
    acknowledge(index);
  }
}

} // namespace sartor::echo
