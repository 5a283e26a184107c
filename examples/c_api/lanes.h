// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LANES_H
#define LANES_H

#include <stddef.h>
#include <stdint.h>

/** Sums `size` bytes in 1 to 16 lanes. The result does not depend on `lanes`. */
uint32_t checksum(const unsigned char *data, size_t size, size_t lanes);

#endif
