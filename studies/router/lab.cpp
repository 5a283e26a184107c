// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab.h"

#include <algorithm>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "checksum.h"
#include "packet.h"

namespace router {

namespace {

constexpr Mac neighbour_mac{2, 0, 0, 0, 0, 9};

std::vector<Port> lab_ports() {
  return {{{2, 0, 0, 0, 0, 1}, 0x0a01'0001, 16}, {{2, 0, 0, 0, 0, 2}, 0x0a02'0001, 16}};
}

} // namespace

Lab::Lab(RouteBurst route, const std::vector<RouteLine> &routes)
    : ports_{{{environment_, 0, frames_at_once}, {environment_, 1, frames_at_once}}},
      router_(lab_ports()), loop_(router_, std::move(route), {ports_[0].id, ports_[1].id}),
      packet_(frame_of({.to = lab_ports()[0].mac,
                        .from = neighbour_mac,
                        .source = 0x0a01'0002,
                        .payload = std::vector<std::uint8_t>(30)})) {
  router_.set_routes(routes);

  std::vector<std::uint8_t> announcement(arp_frame_size);
  const Port port = lab_ports()[1];
  for (const RouteLine &line : routes) {
    write_arp(announcement.data(), {.operation = ArpOperation::reply,
                                    .sender_mac = neighbour_mac,
                                    .sender = line.gateway,
                                    .target_mac = port.mac,
                                    .target = port.address});
    Frame frame{announcement.data(), arp_frame_size, 1, Outcome::arp};
    router_.finish(frame, {});
  }
}

Lab::~Lab() {
  drain();
  rte_pktmbuf_free_bulk(buffers_.data(), static_cast<unsigned>(buffers_.size()));
}

void Lab::take_buffers() {
  const std::size_t before = buffers_.size();
  buffers_.resize(frames_at_once);
  if (rte_pktmbuf_alloc_bulk(environment_.pool(), buffers_.data() + before,
                             static_cast<unsigned>(frames_at_once - before)) != 0)
    throw dpdk::Error("no memory for frames");
  for (std::size_t i = before; i < buffers_.size(); ++i)
    rte_pktmbuf_append(buffers_[i], static_cast<std::uint16_t>(packet_.size()));
}

void Lab::fill(std::span<const std::uint32_t> destinations) {
  if (buffers_.size() < frames_at_once) // dropped ones were returned to the pool
    take_buffers();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    auto *const frame = rte_pktmbuf_mtod(buffers_[i], std::uint8_t *);
    std::copy(packet_.begin(), packet_.end(), frame);
    store32(frame + at::destination, destinations[i % destinations.size()]);
    store16(frame + at::checksum, 0);
    store(frame + at::checksum,
          static_cast<std::uint16_t>(~sum_of(frame + at::payload, ipv4_header_size)));
  }
  rte_ring_enqueue_bulk(ports_[0].in, reinterpret_cast<void **>(buffers_.data()),
                        static_cast<unsigned>(buffers_.size()), nullptr);
  buffers_.clear();
}

void Lab::route() {
  while (loop_.poll() > 0) {
  }
}

std::size_t Lab::drain() {
  const std::size_t before = buffers_.size();
  buffers_.resize(frames_at_once);
  const unsigned count =
      rte_ring_dequeue_burst(ports_[1].out, reinterpret_cast<void **>(buffers_.data() + before),
                             static_cast<unsigned>(frames_at_once - before), nullptr);
  buffers_.resize(before + count);
  return count;
}

} // namespace router
