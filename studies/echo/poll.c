// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One turn of the loop, in the order of TAS's fast path: A. Kaufmann et al., "TAS: TCP Acceleration
// as an OS Service", EuroSys 2019.
#include <lwip/etharp.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/stats.h>
#include <netif/ethernet.h>

#include <sartor/points.h>

#include "buckets.h"
#include "connection.h"
#include "state.h"

static void take(struct EchoServer *echo, const struct EchoFrame *frame) {
  struct pbuf *const packet = frame->size > 0 && frame->size <= UINT16_MAX
                                  ? pbuf_alloc(PBUF_RAW, (u16_t)frame->size, PBUF_POOL)
                                  : NULL;
  if (packet == NULL) {
    ++echo->counters.no_memory;
    return;
  }
  pbuf_take(packet, frame->bytes, packet->tot_len);
  buckets_enter_for(frame->bytes, frame->size);
  if (ethernet_input(packet, &echo->netif) != ERR_OK)
    pbuf_free(packet);
  buckets_leave();
}

// Takes frames from the NIC's queue.
static uint32_t poll_rx(struct EchoServer *echo, uint32_t batch) {
  struct EchoFrame frames[echo_most_batch];
  const uint32_t count = echo->port.receive(echo->port.user, frames, batch);
  for (uint32_t i = 0; i < count; ++i)
    take(echo, &frames[i]);
  echo->counters.frames += count;
  return count;
}

// Serves connections that have data to send.
static uint32_t poll_qman(struct EchoServer *echo, uint32_t batch) {
  uint32_t count = 0;
  for (struct Ring *next; count < batch && (next = ring_take(&echo->sending)) != NULL; ++count)
    connection_send(
        LWIP_CONST_CAST(struct Connection *, (char *)next - offsetof(struct Connection, sending)));
  return count;
}

// Answers complete requests, the application's queue.
static uint32_t poll_queues(struct EchoServer *echo, uint32_t batch) {
  uint32_t count = 0;
  for (struct Ring *next; count < batch && (next = ring_take(&echo->requests)) != NULL; ++count)
    connection_answer(LWIP_CONST_CAST(struct Connection *, next));
  return count;
}

static void poll_timers(struct EchoServer *echo) {
  if (echo->now - echo->tcp_timer >= TCP_TMR_INTERVAL) {
    echo->tcp_timer = echo->now;
    buckets_tick();
  }
  if (echo->now - echo->arp_timer >= ARP_TMR_INTERVAL) {
    echo->arp_timer = echo->now;
    etharp_tmr();
  }
}

static uint32_t within_limits(uint32_t batch) {
  return batch < 1 ? 1 : LWIP_MIN(batch, echo_most_batch);
}

SARTOR_HANDLER uint32_t echo_poll(struct EchoServer *echo) {
  const struct EchoBatches *const batches = &echo->batches;
  uint32_t done =
      poll_rx(echo, sartor_enum("rx_batch", within_limits(batches->rx), 1, 4, 16, echo_most_batch));
  done += poll_qman(
      echo, sartor_enum("qman_batch", within_limits(batches->qman), 1, 4, 16, echo_most_batch));
  done += poll_queues(
      echo, sartor_enum("queues_batch", within_limits(batches->queues), 1, 4, 16, echo_most_batch));
  poll_timers(echo);
  echo->port.flush(echo->port.user);
  return done;
}
