/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the program's own functions, whose types are known only when they are called
 * (core/request/native_call.h). */
#ifndef SARTOR_DEVICE_CALL_H
#define SARTOR_DEVICE_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/foldable.h>

/* Calls a function. `types` and `bits` (eight bytes each, little-endian) are those of the
 * arguments. Returns the result of sartor_contain(), or SARTOR_CONTAIN_LOST if there are more
 * arguments than such a call can have here, or a type is unknown. */
int sartor_call(uintptr_t function, unsigned result, const unsigned char *types,
                const unsigned char *bits, size_t count, uint64_t *result_bits);

#endif
