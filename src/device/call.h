/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the program's own functions, of which only the types are known when they are made
 * (core/request/native_call.h). */
#ifndef SARTOR_DEVICE_CALL_H
#define SARTOR_DEVICE_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/foldable.h>

/* Calls it. `types` and `bits` (eight bytes each, little-endian) are of the arguments. What
 * sartor_contain() gives; SARTOR_CONTAIN_LOST where there are more arguments than such a call can
 * have here, or a type is none. */
int sartor_call(uintptr_t function, unsigned result, const unsigned char *types,
                const unsigned char *bits, size_t count, uint64_t *result_bits);

#endif
