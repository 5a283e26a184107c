/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Included before each of lwIP's files when they are compiled for the server. */
#ifndef SEND_DEVICE_HANDLERS_H
#define SEND_DEVICE_HANDLERS_H

#include <lwip/sockets.h>

#include <sartor/points.h>

SARTOR_HANDLER extern __typeof__(lwip_send) lwip_send;

#endif
