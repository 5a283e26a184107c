/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_ARCH_CC_H
#define ECHO_ARCH_CC_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Reports lwIP's own bugs; no input from outside gets here. */
#define LWIP_PLATFORM_ASSERT(text)                                                                 \
  do {                                                                                             \
    fprintf(stderr, "%s:%d: \"%s\" does not hold\n", __FILE__, __LINE__, text);                    \
    abort();                                                                                       \
  } while (0)

#endif
