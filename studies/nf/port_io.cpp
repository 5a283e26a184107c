// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port_io.h"

#include <chrono>
#include <type_traits>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace nf {

namespace {

NfSide other(NfSide side) { return side == nf_external ? nf_internal : nf_external; }

std::uint64_t nanoseconds_now() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

} // namespace

PortIo::PortIo(std::array<std::uint16_t, nf_sides> ports) : ports_(ports) {
  static_assert(std::is_standard_layout_v<Own>);
  own_.owner = this;
  own_.io.receive = [](NfIo *io, NfSide side, NfPacket *packets, std::uint32_t most) {
    return of(io).receive(side, packets, most);
  };
  own_.io.send = [](NfIo *io, NfSide side, NfPacket *packets, std::uint32_t count) {
    of(io).send(side, packets, count);
  };
  own_.io.now = [](NfIo *) { return nanoseconds_now(); };
  own_.io.batch = 32;
  own_.io.ahead = 4;
  own_.io.at_once = 8;
}

PortIo &PortIo::of(NfIo *io) { return *reinterpret_cast<Own *>(io)->owner; }

std::uint32_t PortIo::receive(NfSide side, NfPacket *packets, std::uint32_t most) {
  std::array<rte_mbuf *, nf_most_packets> frames;
  const std::uint16_t count =
      rte_eth_rx_burst(ports_[side], 0, frames.data(), static_cast<std::uint16_t>(most));
  for (std::uint16_t i = 0; i < count; ++i) {
    packets[i].data = rte_pktmbuf_mtod(frames[i], std::uint8_t *);
    packets[i].end = packets[i].data + rte_pktmbuf_data_len(frames[i]);
    packets[i].buffer = frames[i];
  }
  return count;
}

void PortIo::send(NfSide side, const NfPacket *packets, std::uint32_t count) {
  Way on;
  Way back;
  Way nowhere;
  for (std::uint32_t i = 0; i < count; ++i) {
    Way &way = packets[i].verdict == nf_pass_on  ? on
               : packets[i].verdict == nf_return ? back
                                                 : nowhere;
    way.frames[way.count++] = static_cast<rte_mbuf *>(packets[i].buffer);
  }
  transmit(ports_[other(side)], on);
  transmit(ports_[side], back);
  if (nowhere.count > 0)
    rte_pktmbuf_free_bulk(nowhere.frames.data(), nowhere.count);
}

void PortIo::transmit(std::uint16_t port, Way &way) {
  if (way.count == 0)
    return;
  const std::uint16_t sent = rte_eth_tx_burst(port, 0, way.frames.data(), way.count);
  if (sent < way.count) {
    unsent_ += way.count - sent;
    rte_pktmbuf_free_bulk(way.frames.data() + sent, way.count - sent);
  }
}

} // namespace nf
