// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FILTER_H
#define FILTER_H

#include <stddef.h>

/** Counts the bytes equal to `wanted` among every `step`-th of `size` bytes. */
size_t count_bytes(const unsigned char *bytes, size_t size, unsigned char wanted, size_t step);

#endif
