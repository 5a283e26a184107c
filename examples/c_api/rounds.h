// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdint.h>

/** Mixes the bits of `number` in 1 to 64 rounds. */
uint64_t mix(uint64_t number, unsigned rounds);

#endif
