/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef EXAMPLE_DEVICE_HANDLERS_H
#define EXAMPLE_DEVICE_HANDLERS_H

#include <stdint.h>

/** Returns the sum of `count` samples, each multiplied by its weight. */
int32_t smooth(const int32_t *weights, const int32_t *samples, int count);

#endif
