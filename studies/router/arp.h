// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_ARP_H
#define ROUTER_ARP_H

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire.h"

/// \file
/// Address resolution for Ethernet and IPv4 (RFC 826).
namespace router {

enum class ArpOperation : std::uint16_t { request = 1, reply = 2 };

/// Addresses in host order.
struct Arp {
  ArpOperation operation;
  Mac sender_mac;
  std::uint32_t sender;
  Mac target_mac; ///< Unknown in a request.
  std::uint32_t target;
};

/// Parses a frame; empty if it is too short or has other kinds of addresses.
std::optional<Arp> read_arp(const std::uint8_t *frame, std::size_t size);

/// Writes arp_frame_size bytes: requests are broadcast, replies go to their target.
void write_arp(std::uint8_t *frame, const Arp &arp);

} // namespace router

#endif
