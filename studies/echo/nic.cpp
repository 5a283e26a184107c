// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nic.h"

#include <cstring>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace sartor::echo {

Nic::~Nic() {
  rte_pktmbuf_free_bulk(received_.data(), received_count_);
  rte_pktmbuf_free_bulk(to_send_.data(), to_send_count_);
}

EchoPort Nic::port() {
  return {[](void *self, EchoFrame *frames, std::uint32_t most) {
            return static_cast<Nic *>(self)->receive(frames, most);
          },
          [](void *self, const std::uint8_t *frame, std::uint32_t size) {
            static_cast<Nic *>(self)->send(frame, size);
          },
          [](void *self) { static_cast<Nic *>(self)->flush(); }, this};
}

std::uint32_t Nic::receive(EchoFrame *frames, std::uint32_t most) {
  rte_pktmbuf_free_bulk(received_.data(), received_count_);
  received_count_ = rte_eth_rx_burst(0, 0, received_.data(), static_cast<std::uint16_t>(most));
  for (std::uint32_t i = 0; i < received_count_; ++i)
    frames[i] = {rte_pktmbuf_mtod(received_[i], const std::uint8_t *),
                 rte_pktmbuf_data_len(received_[i])};
  return received_count_;
}

void Nic::send(const std::uint8_t *frame, std::uint32_t size) {
  rte_mbuf *const buffer = rte_pktmbuf_alloc(environment_.pool());
  if (buffer == nullptr)
    return; // lost, as on any network: TCP retransmits it
  char *const room = rte_pktmbuf_append(buffer, static_cast<std::uint16_t>(size));
  if (room == nullptr) {
    rte_pktmbuf_free(buffer);
    return;
  }
  std::memcpy(room, frame, size);
  to_send_[to_send_count_++] = buffer;
  if (to_send_count_ == to_send_.size())
    flush();
}

void Nic::flush() {
  if (to_send_count_ == 0)
    return;
  const std::uint16_t sent = rte_eth_tx_burst(0, 0, to_send_.data(), to_send_count_);
  rte_pktmbuf_free_bulk(to_send_.data() + sent, to_send_count_ - sent);
  to_send_count_ = 0;
}

} // namespace sartor::echo
