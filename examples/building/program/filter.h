// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FILTER_H
#define FILTER_H

#include <stddef.h>

/** How many of `size` bytes are equal to `wanted`, every `step`th looked at. */
size_t count_bytes(const unsigned char *bytes, size_t size, unsigned char wanted, size_t step);

/** Has count_bytes() specialized, and says what it gives. The status of a program. */
int tune(void);

#endif
