// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peer.h"

#include <algorithm>
#include <array>

namespace sartor::send {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kEthernet = 14;
constexpr std::size_t kIp = 20;
constexpr std::size_t kTcp = 20;
constexpr std::uint8_t kSyn = 2;
constexpr std::uint8_t kFin = 1;
constexpr std::uint8_t kAck = 16;
constexpr std::uint16_t kLargestSegment = 1460;

std::uint16_t get16(std::span<const std::uint8_t> from, std::size_t at) {
  return static_cast<std::uint16_t>(from[at] << 8U | from[at + 1]);
}
std::uint32_t get32(std::span<const std::uint8_t> from, std::size_t at) {
  return std::uint32_t{get16(from, at)} << 16U | get16(from, at + 2);
}
void put16(std::span<std::uint8_t> to, std::size_t at, std::uint32_t value) {
  to[at] = static_cast<std::uint8_t>(value >> 8U);
  to[at + 1] = static_cast<std::uint8_t>(value);
}
void put32(std::span<std::uint8_t> to, std::size_t at, std::uint32_t value) {
  put16(to, at, value >> 16U);
  put16(to, at + 2, value);
}

// The Internet checksum (RFC 1071), with `sum` added.
std::uint16_t checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes.size(); i += 2)
    sum += static_cast<std::uint32_t>(bytes[i] << 8U | (i + 1 < bytes.size() ? bytes[i + 1] : 0));
  while (sum > 0xffff)
    sum = (sum & 0xffff) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum);
}

// A later fragment has only an IP header.
bool is_later_fragment(std::span<const std::uint8_t> frame) {
  return (get16(frame, kEthernet + 6) & 0x1fff) != 0;
}

} // namespace

Peer::Peer(Wire &wire, std::vector<std::vector<std::uint8_t>> *sent) : wire_(wire), sent_(sent) {
  wire.collector = this;
  wire.collect = &Peer::collect;
}

Peer::~Peer() {
  wire_.collect = [](void *, const std::uint8_t *, std::size_t) {};
}

void Peer::collect(void *peer, const std::uint8_t *frame, std::size_t size) {
  auto &self = *static_cast<Peer *>(peer);
  self.waiting_.emplace_back(frame, frame + size);
  if (self.sent_ != nullptr)
    self.sent_->push_back(self.waiting_.back());
}

void Peer::answer() {
  while (!waiting_.empty()) {
    std::vector<Frame> frames;
    frames.swap(waiting_);
    for (const Frame &frame : frames)
      answer_to(frame);
  }
}

void Peer::answer_to(const Frame &frame) {
  const std::uint16_t kind = get16(frame, 12);
  if (kind == 0x0806)
    answer_arp(frame);
  else if (kind == 0x0800 && frame[kEthernet + 9] == 6 && !is_later_fragment(frame))
    answer_tcp(frame);
}

void Peer::answer_arp(const Frame &request) {
  const std::uint32_t asked = get32(request, kEthernet + 24);
  if (get16(request, kEthernet + 6) != 1 || asked == get32(request, kEthernet + 14))
    return; // an answer, or an announcement by lwIP
  last_arp_ = request;
  say_where(asked, request);
}

void Peer::say_where(std::uint32_t address, const Frame &to) {
  Bytes reply(kEthernet + 28);
  const std::array<std::uint8_t, 6> self = {2, 0, 0, 0, 0, hardware_};
  std::ranges::copy_n(to.begin() + 6, 6, reply.begin());
  std::ranges::copy(self, reply.begin() + 6);
  put16(reply, 12, 0x0806);
  std::ranges::copy_n(to.begin() + kEthernet, 6, reply.begin() + kEthernet);
  put16(reply, kEthernet + 6, 2);
  std::ranges::copy(self, reply.begin() + kEthernet + 8);
  put32(reply, kEthernet + 14, address);
  std::ranges::copy_n(to.begin() + kEthernet + 8, 10, reply.begin() + kEthernet + 18);
  wire_receive(&wire_, reply.data(), reply.size());
}

void Peer::move(std::uint8_t last_byte) {
  hardware_ = last_byte;
  if (!last_arp_.empty())
    say_where(get32(last_arp_, kEthernet + 24), last_arp_);
  answer();
}

void Peer::answer_tcp(const Frame &frame) {
  const std::span<const std::uint8_t> ip = std::span(frame).subspan(kEthernet);
  const std::span<const std::uint8_t> tcp = ip.subspan(kIp);
  const std::uint8_t flags = tcp[13];
  const std::uint32_t sequence = get32(tcp, 4);
  if ((flags & kSyn) != 0) {
    connection_ = {get32(ip, 16), get32(ip, 12), get16(tcp, 2), get16(tcp, 0), 1000, sequence + 1};
    const std::array<std::uint8_t, 4> size = {2, 4, kLargestSegment >> 8U, kLargestSegment & 0xff};
    send_segment(kSyn | kAck, 0xffff, size);
    ++connection_->next_sequence;
    return;
  }
  if (!connection_ || get16(tcp, 0) != connection_->remote_port)
    return;
  const std::size_t data = get16(ip, 2) - kIp - std::size_t{4} * (tcp[12] >> 4U);
  const std::uint32_t end =
      sequence + static_cast<std::uint32_t>(data) + ((flags & kFin) != 0 ? 1 : 0);
  if (static_cast<std::int32_t>(end - connection_->acknowledgement) > 0)
    connection_->acknowledgement = end;
}

void Peer::acknowledge(std::uint16_t window, std::optional<std::uint16_t> largest_segment) {
  answer();
  if (!connection_)
    return;
  if (largest_segment) {
    const std::array<std::uint8_t, 4> option = {2, 4,
                                                static_cast<std::uint8_t>(*largest_segment >> 8U),
                                                static_cast<std::uint8_t>(*largest_segment)};
    send_segment(kAck, window, option);
  } else {
    send_segment(kAck, window, {});
  }
  answer();
}

void Peer::expect(std::uint32_t sequence) {
  if (connection_)
    connection_->acknowledgement = sequence;
}

void Peer::send_segment(std::uint8_t flags, std::uint16_t window,
                        std::span<const std::uint8_t> options) {
  const Connection &connection = *connection_;
  Bytes frame(kEthernet + kIp + kTcp + options.size());
  const std::array<std::uint8_t, 12> ethernet = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, hardware_};
  std::ranges::copy(ethernet, frame.begin());
  put16(frame, 12, 0x0800);
  const std::span<std::uint8_t> ip = std::span(frame).subspan(kEthernet);
  ip[0] = 0x45;
  put16(ip, 2, static_cast<std::uint32_t>(ip.size()));
  ip[8] = 64;
  ip[9] = 6;
  put32(ip, 12, connection.local_address);
  put32(ip, 16, connection.remote_address);
  put16(ip, 10, checksum(ip.first(kIp), 0));
  const std::span<std::uint8_t> tcp = ip.subspan(kIp);
  put16(tcp, 0, connection.local_port);
  put16(tcp, 2, connection.remote_port);
  put32(tcp, 4, connection.next_sequence);
  put32(tcp, 8, connection.acknowledgement);
  tcp[12] = static_cast<std::uint8_t>((kTcp + options.size()) / 4 << 4U);
  tcp[13] = flags;
  put16(tcp, 14, window);
  std::ranges::copy(options, tcp.begin() + kTcp);
  const std::uint32_t pseudo =
      (connection.local_address >> 16U) + (connection.local_address & 0xffff) +
      (connection.remote_address >> 16U) + (connection.remote_address & 0xffff) + 6 +
      static_cast<std::uint32_t>(tcp.size());
  put16(tcp, 16, checksum(tcp, pseudo));
  wire_receive(&wire_, frame.data(), frame.size());
}

} // namespace sartor::send
