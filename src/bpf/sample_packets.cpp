// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/sample_packets.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include <netinet/in.h>

namespace sartor::bpf {

namespace {

using Random = std::mt19937;

constexpr std::size_t kEthernet = 14; ///< The shortest packet that Linux runs a program on.
constexpr std::size_t kLongest = kEthernet + 1500;
constexpr std::size_t kMostKeys = 64; ///< Of each map.

void put16(std::string &packet, std::size_t number) {
  packet += static_cast<char>(number >> 8);
  packet += static_cast<char>(number);
}

/// Half of them are small, because enumerations are.
void fill(std::string &packet, std::size_t count, Random &random) {
  const bool is_small = random() % 2 == 0;
  for (std::size_t i = 0; i < count; ++i)
    packet += static_cast<char>(is_small ? random() % 4 * (random() % 4) : random());
}

std::string transport(Random &random, std::uint8_t protocol) {
  std::string made;
  const std::size_t payload = random() % 4 == 0 ? random() % 1400 : random() % 40;
  fill(made, 4, random); // ports
  if (protocol == IPPROTO_UDP)
    put16(made, 8 + payload);
  else
    fill(made, 8, random);
  if (protocol == IPPROTO_TCP)
    put16(made, 5U << 12 | random() % 256);
  fill(made, payload + 4, random);
  return made;
}

std::string ipv4(Random &random) {
  const std::uint8_t protocols[] = {IPPROTO_UDP, IPPROTO_TCP, IPPROTO_ICMP};
  const std::uint8_t protocol = protocols[random() % 3];
  const std::size_t words = random() % 4 == 0 ? 5 + random() % 11 : 5;
  const std::string payload = transport(random, protocol);
  std::string made;
  made += static_cast<char>(0x40 | words);
  made += '\0';
  put16(made, words * 4 + payload.size());
  fill(made, 2, random);                                // identification
  put16(made, random() % 8 == 0 ? random() : 1U << 14); // fragments
  made += '\x40';
  made += static_cast<char>(protocol);
  fill(made, 2 + 4 + 4 + (words - 5) * std::size_t{4}, random);
  return made + payload;
}

std::string ipv6(Random &random) {
  const std::uint8_t protocols[] = {IPPROTO_UDP, IPPROTO_TCP, IPPROTO_ICMPV6};
  const std::uint8_t protocol = protocols[random() % 3];
  const std::string payload = transport(random, protocol);
  std::string made("\x60\0\0\0", 4);
  put16(made, payload.size());
  made += static_cast<char>(protocol);
  made += '\x40';
  fill(made, 32, random);
  return made + payload;
}

std::string packet_of(Random &random) {
  std::string made;
  fill(made, 12, random);
  if (random() % 6 == 0) { // a VLAN tag
    put16(made, 0x8100);
    fill(made, 2, random);
  }
  const unsigned kind = random() % 8;
  put16(made, kind < 3 ? 0x0800 : kind < 5 ? 0x86dd : random());
  if (kind < 3)
    made += ipv4(random);
  else if (kind < 5)
    made += ipv6(random);
  else
    fill(made, random() % 4 == 0 ? random() % 1500 : 50, random);
  if (random() % 8 == 0) // too short for its headers
    made.resize(kEthernet + random() % 50);
  made.resize(std::clamp(made.size(), kEthernet, kLongest));
  return made;
}

std::vector<std::string> constants_of(const core::Context &context) {
  std::vector<std::string> found;
  for (const auto &[label, setting] : context.configuration)
    for (const Value &value : setting.values)
      for (const std::size_t bytes : {1U, 2U, 4U, 8U}) {
        const std::uint64_t bits = value.bits();
        std::string low(bytes, '\0');
        std::memcpy(low.data(), &bits, bytes);
        found.push_back(low);
        std::ranges::reverse(low); // as in the headers of packets
        found.push_back(std::move(low));
      }
  if (context.kernel)
    for (const auto &[name, map] : context.kernel->maps)
      for (std::size_t i = 0; i < std::min(map.entries.size(), kMostKeys); ++i)
        found.push_back(map.entries[i].key);
  return found;
}

} // namespace

std::vector<std::string> sample_packets(const core::Context &context, unsigned count) {
  Random random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same packets each time
  const std::vector<std::string> constants = constants_of(context);
  std::vector<std::string> packets;
  for (unsigned i = 0; i < count; ++i) {
    std::string packet = packet_of(random);
    for (std::size_t times = constants.empty() ? 0 : random() % 8; times > 0; --times) {
      const std::string &constant = constants[random() % constants.size()];
      // Most headers are in the first bytes.
      const std::size_t end = std::min<std::size_t>(packet.size(), kEthernet + 64);
      if (constant.size() + kEthernet <= end)
        packet.replace(kEthernet + random() % (end - kEthernet - constant.size() + 1),
                       constant.size(), constant);
    }
    packets.push_back(std::move(packet));
  }
  return packets;
}

} // namespace sartor::bpf
