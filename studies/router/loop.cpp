// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop.h"

#include <utility>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace router {

Loop::Loop(Router &router, RouteBurst route, std::vector<std::uint16_t> ports)
    : router_(router), route_(std::move(route)), ports_(std::move(ports)), outputs_(ports_.size()) {
}

std::size_t Loop::poll() {
  std::array<rte_mbuf *, burst> buffers;
  std::array<Frame, burst> frames;
  std::size_t read = 0;
  const auto ports = static_cast<std::uint16_t>(ports_.size());
  for (std::uint16_t port = 0; port < ports; ++port) {
    const std::uint16_t count = rte_eth_rx_burst(ports_[port], 0, buffers.data(), burst);
    if (count == 0)
      continue;
    read += count;
    for (std::uint16_t i = 0; i < count; ++i)
      frames[i] = {.data = rte_pktmbuf_mtod(buffers[i], std::uint8_t *),
                   .size = rte_pktmbuf_data_len(buffers[i]),
                   .port = port,
                   .outcome = Outcome::forwarded};
    route_(&router_.tables(), frames.data(), count);
    for (std::uint16_t i = 0; i < count; ++i)
      if (frames[i].outcome == Outcome::forwarded) [[likely]]
        queue(frames[i].port, buffers[i]);
      else
        finish(frames[i], buffers[i]);
  }
  for (std::uint16_t port = 0; port < ports; ++port)
    flush(port);
  return read;
}

void Loop::finish(Frame &frame, rte_mbuf *buffer) {
  if (!router_.finish(frame, std::chrono::steady_clock::now())) {
    rte_pktmbuf_free(buffer);
    return;
  }
  if (frame.outcome == Outcome::forwarded) {
    queue(frame.port, buffer);
    return;
  }
  buffer->data_len = static_cast<std::uint16_t>(frame.size);
  buffer->pkt_len = frame.size;
  if (rte_eth_tx_burst(ports_[frame.port], 0, &buffer, 1) == 0)
    rte_pktmbuf_free(buffer);
}

void Loop::queue(std::uint16_t port, rte_mbuf *buffer) {
  Output &output = outputs_[port];
  output.frames[output.count++] = buffer;
  if (output.count == burst)
    flush(port);
}

void Loop::flush(std::uint16_t port) {
  Output &output = outputs_[port];
  if (output.count == 0)
    return;
  const std::uint16_t sent = rte_eth_tx_burst(ports_[port], 0, output.frames.data(), output.count);
  router_.counters().add(Outcome::forwarded, sent);
  if (sent < output.count) {
    router_.counters().add(Outcome::output_full, output.count - sent);
    rte_pktmbuf_free_bulk(output.frames.data() + sent, output.count - sent);
  }
  output.count = 0;
}

} // namespace router
