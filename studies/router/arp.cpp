// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arp.h"

#include <algorithm>

namespace router {

namespace {

/// The first bytes of each ARP packet: Ethernet, IPv4, addresses of six and four bytes.
constexpr std::array<std::uint8_t, 6> kind_of_addresses{0, 1, 8, 0, 6, 4};

Mac mac_at(const std::uint8_t *bytes) {
  Mac mac;
  std::copy_n(bytes, mac.size(), mac.begin());
  return mac;
}

} // namespace

std::optional<Arp> read_arp(const std::uint8_t *frame, std::size_t size) {
  if (size < arp_frame_size || load16(frame + at::ether_type) != type_arp ||
      !std::equal(kind_of_addresses.begin(), kind_of_addresses.end(), frame + at::payload))
    return {};
  const std::uint16_t operation = load16(frame + at::arp_operation);
  if (operation != 1 && operation != 2)
    return {};
  return Arp{.operation = static_cast<ArpOperation>(operation),
             .sender_mac = mac_at(frame + at::arp_sender_mac),
             .sender = load32(frame + at::arp_sender),
             .target_mac = mac_at(frame + at::arp_target_mac),
             .target = load32(frame + at::arp_target)};
}

void write_arp(std::uint8_t *frame, const Arp &arp) {
  const auto put = [frame](std::size_t where, const auto &bytes) {
    std::copy(bytes.begin(), bytes.end(), frame + where);
  };
  put(at::ether_destination, arp.operation == ArpOperation::request ? broadcast : arp.target_mac);
  put(at::ether_source, arp.sender_mac);
  store16(frame + at::ether_type, type_arp);
  put(at::payload, kind_of_addresses);
  store16(frame + at::arp_operation, static_cast<std::uint16_t>(arp.operation));
  put(at::arp_sender_mac, arp.sender_mac);
  store32(frame + at::arp_sender, arp.sender);
  put(at::arp_target_mac, arp.target_mac);
  store32(frame + at::arp_target, arp.target);
}

} // namespace router
