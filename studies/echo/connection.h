/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_CONNECTION_H
#define ECHO_CONNECTION_H

#include <lwip/tcp.h>

#include "state.h"

/** Callback for tcp_accept(); its argument is the server. */
err_t connection_accepted(void *echo, struct tcp_pcb *pcb, err_t error);

/** Answers the connection's first request, which must be complete, and queues the connection
 * again if there are more. */
void connection_answer(struct Connection *connection);
/** Sends as much as TCP allows. */
void connection_send(struct Connection *connection);

#endif
