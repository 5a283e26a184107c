/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SEND_CLOCK_H
#define SEND_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Stops lwIP's clock at this time, so that no timers expire: the packets then depend on the
 * program's actions alone. */
void send_stop_clock(uint32_t milliseconds);

#ifdef __cplusplus
}
#endif

#endif
