// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LANES_H
#define LANES_H

#include <stddef.h>
#include <stdint.h>

/** The sum of all bytes, by as many running sums as there are lanes: 16 at most. */
uint32_t checksum(const unsigned char *data, size_t size, size_t lanes);

#endif
