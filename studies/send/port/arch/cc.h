/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SEND_ARCH_CC_H
#define SEND_ARCH_CC_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

#include "monitor.h"

/* The lock of the whole stack. */
#define LOCK_TCPIP_CORE() monitor_enter()
#define UNLOCK_TCPIP_CORE() monitor_leave()

#define LWIP_ERRNO_STDINCLUDE

/** Ends the process. */
__attribute__((cold, noreturn)) void send_assertion_failed(const char *text, const char *file,
                                                           int line);
#define LWIP_PLATFORM_ASSERT(text) send_assertion_failed(text, __FILE__, __LINE__)

/** Random numbers that depend only on the seed, so that two processes send the same packets. */
uint32_t send_random(void);
#define LWIP_RAND() send_random()

#endif
