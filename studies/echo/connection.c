// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "connection.h"

#include <lwip/ip.h>

#include "buckets.h"
#include "message.h"

enum { polled_every = 2 }; // in half seconds

static void leave(struct Connection *connection) {
  ring_remove(&connection->requests);
  ring_remove(&connection->sending);
  if (connection->held != NULL)
    pbuf_free(connection->held);
  connection->held = NULL;
  connection->pcb = NULL;
  ring_append(&connection->echo->free, &connection->requests);
}

// Detaches the connection from the server; lwIP completes it alone.
static struct tcp_pcb *part(struct Connection *connection) {
  struct tcp_pcb *const pcb = connection->pcb;
  tcp_arg(pcb, NULL);
  tcp_recv(pcb, NULL);
  tcp_sent(pcb, NULL);
  tcp_err(pcb, NULL);
  tcp_poll(pcb, NULL, 0);
  leave(connection);
  return pcb;
}

static err_t reset(struct Connection *connection) {
  tcp_abort(part(connection));
  return ERR_ABRT;
}

// Closes after the last answer. lwIP still retransmits unacknowledged data.
static err_t close_in_order(struct Connection *connection) {
  ++connection->echo->counters.closed;
  if (connection->held != NULL) // otherwise lwIP resets the connection and loses the last answers
    tcp_recved(connection->pcb, connection->held->tot_len);
  struct tcp_pcb *const pcb = part(connection);
  if (tcp_close(pcb) == ERR_OK)
    return ERR_OK;
  tcp_abort(pcb); // no memory for a FIN
  return ERR_ABRT;
}

// Finds the requests in the bytes received since the last call. False if they are malformed.
static bool parse(struct Connection *connection) {
  struct EchoCounters *const counters = &connection->echo->counters;
  uint8_t header[echo_header];
  while (connection->held->tot_len - connection->whole >= echo_header) {
    pbuf_copy_partial(connection->held, header, echo_header, (u16_t)connection->whole);
    const uint32_t length = echo_length(header);
    if (echo_mark(header) != echo_request_mark || length < echo_header) {
      ++counters->malformed;
      return false;
    }
    if (length > echo_longest) {
      ++counters->oversized;
      return false;
    }
    if (connection->held->tot_len - connection->whole < length)
      break;
    connection->whole += length;
  }
  return true;
}

static void line_up(struct Connection *connection) {
  if (connection->whole > 0 && !connection->is_full)
    ring_append(&connection->echo->requests, &connection->requests);
}

static err_t ended(struct Connection *connection) {
  connection->has_ended = true;
  if (connection->held != NULL && connection->held->tot_len > connection->whole)
    ++connection->echo->counters.truncated;
  return connection->whole == 0 ? close_in_order(connection) : ERR_OK;
}

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *data, err_t error) {
  struct Connection *const connection = argument;
  (void)pcb, (void)error; // error is always ERR_OK
  connection->quiet = 0;
  if (data == NULL)
    return ended(connection);
  if (connection->held == NULL)
    connection->held = data;
  else
    pbuf_cat(connection->held, data);
  if (!parse(connection))
    return reset(connection);
  line_up(connection);
  return ERR_OK;
}

static err_t sent(void *argument, struct tcp_pcb *pcb, u16_t bytes) {
  struct Connection *const connection = argument;
  (void)pcb, (void)bytes;
  connection->quiet = 0;
  connection->is_full = false;
  line_up(connection);
  return ERR_OK;
}

static err_t second(void *argument, struct tcp_pcb *pcb) {
  struct Connection *const connection = argument;
  if (connection->held == NULL && pcb->unsent == NULL && pcb->unacked == NULL) {
    connection->quiet = 0; // no request waits for an answer
    return ERR_OK;
  }
  if (++connection->quiet > connection->echo->patience) {
    ++connection->echo->counters.stuck;
    return reset(connection);
  }
  // Memory may be available again.
  connection->is_full = false;
  line_up(connection);
  return ERR_OK;
}

static void lost(void *argument, err_t error) {
  struct Connection *const connection = argument;
  if (error == ERR_RST)
    ++connection->echo->counters.reset;
  else
    ++connection->echo->counters.vanished;
  leave(connection);
}

err_t connection_accepted(void *argument, struct tcp_pcb *pcb, err_t error) {
  struct EchoServer *const echo = argument;
  struct Ring *const place = error == ERR_OK ? ring_take(&echo->free) : NULL;
  if (place == NULL) {
    ++echo->counters.no_room;
    return ERR_MEM; // lwIP resets it
  }
  struct Connection *const connection = LWIP_CONST_CAST(struct Connection *, place);
  ++echo->counters.accepted;
  connection->pcb = pcb;
  connection->whole = 0;
  connection->quiet = 0;
  connection->is_full = false;
  connection->has_ended = false;
  tcp_arg(pcb, connection);
  tcp_recv(pcb, received);
  tcp_sent(pcb, sent);
  tcp_err(pcb, lost);
  tcp_poll(pcb, second, polled_every);
  tcp_nagle_disable(pcb); // no delay between answers
  ip_set_option(pcb, SOF_KEEPALIVE);
  return ERR_OK;
}

void connection_answer(struct Connection *connection) {
  struct tcp_pcb *const pcb = connection->pcb;
  uint8_t message[echo_longest];
  pbuf_copy_partial(connection->held, message, echo_header, 0);
  const uint16_t length = (uint16_t)echo_length(message);
  pbuf_copy_partial(connection->held, message, length, 0);
  echo_set_mark(message, echo_answer_mark);
  if (tcp_sndbuf(pcb) < length || tcp_write(pcb, message, length, TCP_WRITE_FLAG_COPY) != ERR_OK) {
    connection->is_full = true; // until the client has acknowledged data
    return;
  }
  ++connection->echo->counters.answers;
  connection->held = pbuf_free_header(connection->held, length);
  connection->whole -= length;
  tcp_recved(pcb, length);
  if (connection->whole > 0) {
    line_up(connection);
  } else if (connection->has_ended) {
    buckets_enter_of(pcb);
    close_in_order(connection);
    buckets_leave();
    return;
  }
  ring_append(&connection->echo->sending, &connection->sending);
}

void connection_send(struct Connection *connection) { tcp_output(connection->pcb); }
