// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packets.h"

#include <array>
#include <functional>

#include <netinet/in.h>

namespace xdp {

namespace {

constexpr std::size_t kIpBytes = 20;
constexpr std::size_t kChecksumAt = kEthernetBytes + 10;

void append(std::string &bytes, std::uint64_t value, std::size_t count) {
  while (count-- > 0)
    bytes += static_cast<char>(value >> (8 * count));
}

void write(std::string &bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  std::string word;
  append(word, value, count);
  bytes.replace(at, count, word);
}

std::string ethernet(std::uint16_t protocol) {
  std::string frame("\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02", 12);
  append(frame, protocol, 2);
  return frame;
}

void write_checksum(std::string &frame) {
  write(frame, kChecksumAt, 0, 2);
  const std::size_t words = static_cast<unsigned char>(frame[kEthernetBytes]) & 15U;
  write(frame, kChecksumAt, checksum_over(frame, kEthernetBytes, words * 4), 2);
}

std::string ip(const Ends &ends, std::uint8_t protocol, const std::string &content) {
  std::string frame = ethernet(0x0800);
  append(frame, 0x4500, 2);
  append(frame, kIpBytes + content.size(), 2);
  append(frame, 0x12340000, 4); // identification; not a fragment
  append(frame, 64, 1);
  append(frame, protocol, 1);
  append(frame, 0, 2);
  append(frame, ends.source, 4);
  append(frame, ends.destination, 4);
  write_checksum(frame);
  return frame + content;
}

std::string payload_of(std::size_t bytes) { return std::string(bytes, 'p'); }

} // namespace

std::uint16_t checksum_over(const std::string &frame, std::size_t at, std::size_t bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = at; i < at + bytes && i < frame.size(); ++i)
    sum += static_cast<unsigned char>(frame[i]) << ((i - at) % 2 == 0 ? 8 : 0);
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::string udp(const Ends &ends, std::size_t payload) {
  std::string content;
  append(content, ends.source_port, 2);
  append(content, ends.destination_port, 2);
  append(content, 8 + payload, 2);
  append(content, 0, 2); // no checksum
  return ip(ends, IPPROTO_UDP, content + payload_of(payload));
}

std::string tcp(const Ends &ends, std::uint8_t flags, std::size_t payload) {
  std::string content;
  append(content, ends.source_port, 2);
  append(content, ends.destination_port, 2);
  append(content, 0x1000, 4);
  append(content, 0x2000, 4);
  append(content, 0x50, 1);
  append(content, flags, 1);
  append(content, 0xffff, 2);
  append(content, 0, 4);
  return ip(ends, IPPROTO_TCP, content + payload_of(payload));
}

std::string icmp(const Ends &ends, std::uint8_t type, std::uint16_t number) {
  std::string content;
  append(content, type, 1);
  append(content, 0, 3);
  append(content, number, 2);
  append(content, 1, 2);
  return ip(ends, IPPROTO_ICMP, content + payload_of(22));
}

std::string icmp_error(std::uint32_t source, std::uint8_t type, const std::string &about) {
  std::uint32_t to = 0;
  for (std::size_t i = 0; i < 4; ++i)
    to = to << 8 | static_cast<unsigned char>(about.at(kEthernetBytes + 12 + i));
  std::string content;
  append(content, type, 1);
  append(content, 0, 7);
  return ip({source, to}, IPPROTO_ICMP, content + about.substr(kEthernetBytes, kIpBytes + 8));
}

std::string ipv6(std::size_t extensions) {
  std::string frame = ethernet(0x86dd);
  append(frame, 0x60000000, 4);
  append(frame, extensions * 8 + 8, 2);
  append(frame, extensions > 0 ? 0 : IPPROTO_UDP, 1);
  append(frame, 64, 1);
  frame += std::string(32, '\x20');
  for (std::size_t i = 0; i < extensions; ++i) {
    append(frame, i + 1 < extensions ? 0 : IPPROTO_UDP, 1);
    append(frame, 0x00010400000000, 7);
  }
  append(frame, 0x0001000200080000, 8);
  return frame;
}

std::string arp() { return ethernet(0x0806) + std::string(46, '\0'); }

std::string tagged(const std::string &frame, std::size_t count) {
  std::string made = frame.substr(0, kEthernetBytes - 2);
  for (std::size_t i = 0; i < count; ++i)
    append(made, (i + 1 < count ? 0x88a80000U : 0x81000000U) | (i + 5), 4);
  return made + frame.substr(kEthernetBytes - 2);
}

std::string with_options(const std::string &frame) {
  std::string made = frame;
  made.insert(kEthernetBytes + kIpBytes, std::string("\x94\x04\x00\x00", 4)); // router alert
  const auto bytes = static_cast<std::uint16_t>(made.size() - kEthernetBytes);
  write(made, kEthernetBytes + 2, bytes, 2);
  return with_byte(made, 0, 0x46);
}

std::string with_byte(std::string frame, std::size_t at, std::uint8_t value) {
  frame.at(kEthernetBytes + at) = static_cast<char>(value);
  write_checksum(frame);
  return frame;
}

std::string as_fragment(const std::string &frame, std::uint16_t field) {
  return with_byte(with_byte(frame, 6, static_cast<std::uint8_t>(field >> 8)), 7,
                   static_cast<std::uint8_t>(field));
}

std::string with_ttl(const std::string &frame, std::uint8_t ttl) {
  return with_byte(frame, 8, ttl);
}

std::string with_bad_checksum(std::string frame) {
  frame.at(kChecksumAt) = static_cast<char>(frame.at(kChecksumAt) ^ 0x55);
  return frame;
}

std::string spoiled(const std::string &frame, std::mt19937_64 &random) {
  const auto byte = [&](std::size_t at) {
    return with_byte(frame, at, static_cast<std::uint8_t>(random()));
  };
  const std::array<std::function<std::string()>, 14> flaws = {
      [&] { return frame; },
      [&] { return frame.substr(0, kEthernetBytes + random() % (frame.size() - kEthernetBytes)); },
      [&] { return tagged(frame, 1 + random() % 3); },
      [&] { return tagged(frame, 2).substr(0, kEthernetBytes + random() % 12); },
      [&] { return with_options(frame); },
      [&] { return byte(0); },  // version and length
      [&] { return byte(2); },  // total length
      [&] { return byte(3); },  //
      [&] { return byte(9); },  // protocol
      [&] { return byte(16); }, // destination
      [&] { return as_fragment(frame, static_cast<std::uint16_t>(random())); },
      [&] { return with_ttl(frame, static_cast<std::uint8_t>(random() % 3)); },
      [&] { return random() % 2 == 0 ? with_bad_checksum(frame) : arp(); },
      [&] { return ipv6(random() % 4); },
  };
  std::string made = flaws.at(random() % flaws.size())();
  if (random() % 8 == 0 && made.size() > kEthernetBytes + 6)
    made[kEthernetBytes + random() % (made.size() - kEthernetBytes)] = static_cast<char>(random());
  return made;
}

} // namespace xdp
