/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_CONNECTION_H
#define ECHO_CONNECTION_H

#include <lwip/tcp.h>

#include "state.h"

/** For tcp_accept(), whose argument is the server. */
err_t connection_accepted(void *echo, struct tcp_pcb *pcb, err_t error);

/** Answers the first of its requests, which is whole. It is in line again if there are more. */
void connection_answer(struct Connection *connection);
/** Sends what TCP allows. */
void connection_send(struct Connection *connection);

#endif
