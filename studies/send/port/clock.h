/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SEND_CLOCK_H
#define SEND_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** From now on lwIP's clock stands at so many milliseconds, and no timer of its goes off: what is
 *  sent then follows from what the program does alone. */
void send_stop_clock(uint32_t milliseconds);

#ifdef __cplusplus
}
#endif

#endif
