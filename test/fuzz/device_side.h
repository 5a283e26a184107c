/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_FUZZ_DEVICE_SIDE_H
#define SARTOR_TEST_FUZZ_DEVICE_SIDE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device asks for a variant, by the functions of device/link.h, which the fuzzer has. `key`: 32
 * bytes, the server's. */
void device_asks(const unsigned char *key, unsigned which);
/* The device's promised memory, and the function that may be called. */
uint64_t device_memory(void);
uint64_t device_function(void);

#ifdef __cplusplus
}
#endif

#endif
