// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balancer_scenes.h"

#include <utility>

namespace nf {

Frame of_few(std::mt19937_64 &random, NfSide side) {
  const auto pick = [&](std::uint32_t first, std::uint32_t count) {
    return first + static_cast<std::uint32_t>(random() % count);
  };
  const auto client = pick(0xc6120001, 4);
  const auto client_port = static_cast<std::uint16_t>(pick(1000, 30));
  Frame frame{.source = client,
              .destination = pick(0xc0000201, 4),
              .protocol = static_cast<std::uint8_t>(random() % 3 ? 6 : 17),
              .source_port = client_port,
              .destination_port = static_cast<std::uint16_t>(pick(80, 2)),
              .tcp_flags = static_cast<std::uint8_t>(random() % 5 ? 0x10 : 2),
              .has_udp_checksum = random() % 4 != 0};
  frame.payload.resize(random() % 40);
  if (random() % 12 == 0)
    frame.fragment = random() % 2 ? 0x2000 : 5;
  if (side == nf_internal) {
    frame.destination = client;
    frame.source = pick(0x0a000001, 12);
    frame.destination_port = client_port;
    frame.source_port = static_cast<std::uint16_t>(pick(80, 2));
  }
  if (random() % 16 != 0)
    return frame;
  Frame about = frame;
  std::swap(about.source, about.destination);
  std::swap(about.source_port, about.destination_port);
  about.fragment = 0;
  const Bytes bytes = bytes_of(about);
  frame.protocol = 1;
  frame.fragment = 0;
  frame.icmp_type = static_cast<std::uint8_t>(random() % 4 ? 3 : 8);
  frame.payload.assign(bytes.begin() + at_ip, bytes.begin() + at_ip + 28);
  return frame;
}

std::string balancer_configuration(std::mt19937_64 &random) {
  std::string text = "[balancer]\nlookup_size = " + std::to_string(random() % 2 ? 251 : 13) +
                     "\ntcp_timeout = " + std::to_string(1 + random() % 60) +
                     "\nudp_timeout = " + std::to_string(1 + random() % 60) + '\n';
  unsigned number = 0;
  for (unsigned vip = 1; vip <= 3; ++vip)
    for (const char *protocol : {"tcp", "udp"}) {
      text += "[[balancer.vip]]\naddress = \"192.0.2." + std::to_string(vip) +
              "\"\nport = 80\nprotocol = \"" + protocol + "\"\nmode = \"" +
              (vip < 3 ? "translate" : "direct") + "\"\n";
      for (unsigned i = 0; i < 2; ++i) {
        const std::string digits = std::to_string(1 + number++);
        if (random() % 4 == 0)
          continue;
        text += "[[balancer.vip.back_end]]\naddress = \"10.0.0.";
        text += digits;
        text += "\"\nmac = \"02:00:00:00:00:";
        text += digits.size() < 2 ? "0" : "";
        text += digits;
        text += "\"\nhealth = \"";
        text += random() % 3 ? "up" : random() % 2 ? "down" : "draining";
        text += "\"\n";
      }
    }
  return text;
}

} // namespace nf
