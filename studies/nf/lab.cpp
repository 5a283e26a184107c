// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab.h"

#include <algorithm>

#include <rte_mbuf.h>
#include <rte_ring.h>

namespace nf {

Lab::Lab()
    : ports_{{{environment_, 0, frames_at_once}, {environment_, 1, frames_at_once}}},
      ports_io_({ports_[0].id, ports_[1].id}) {}

Lab::~Lab() { drain(); }

void Lab::fill(NfSide side, std::span<const Bytes *const> frames) {
  buffers_.resize(frames.size());
  const auto count = static_cast<unsigned>(frames.size());
  if (rte_pktmbuf_alloc_bulk(environment_.pool(), buffers_.data(), count) != 0)
    throw dpdk::Error("no memory for frames");
  for (std::size_t i = 0; i < frames.size(); ++i)
    std::ranges::copy(*frames[i], reinterpret_cast<std::uint8_t *>(rte_pktmbuf_append(
                                      buffers_[i], static_cast<std::uint16_t>(frames[i]->size()))));
  if (rte_ring_enqueue_bulk(ports_[side].in, reinterpret_cast<void **>(buffers_.data()), count,
                            nullptr) != count) {
    rte_pktmbuf_free_bulk(buffers_.data(), count);
    throw dpdk::Error("more frames than a port has room for");
  }
}

std::size_t Lab::drain() {
  std::size_t all = 0;
  for (const dpdk::RingPort &port : ports_) {
    std::array<void *, frames_at_once> frames;
    const unsigned count = rte_ring_dequeue_burst(port.out, frames.data(),
                                                  static_cast<unsigned>(frames.size()), nullptr);
    rte_pktmbuf_free_bulk(reinterpret_cast<rte_mbuf **>(frames.data()), count);
    all += count;
  }
  return all;
}

void Lab::begin_flows(const Traffic &traffic, NfSide side, const Poll &poll) {
  Work unmeasured;
  Loop loop(io(), poll, unmeasured);
  std::vector<const Bytes *> frames;
  const std::span<const Bytes> each = traffic.each(side);
  for (std::size_t first = 0; first < each.size(); first += frames_at_once) {
    frames.clear();
    for (const Bytes &frame : each.subspan(first, std::min(frames_at_once, each.size() - first)))
      frames.push_back(&frame);
    fill(side, frames);
    loop.empty(side);
    drain();
  }
}

} // namespace nf
