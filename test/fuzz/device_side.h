/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_FUZZ_DEVICE_SIDE_H
#define SARTOR_TEST_FUZZ_DEVICE_SIDE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device asks for a variant through the functions of device/link.h, which the fuzzer defines.
 * `key`: the server's, 32 bytes. */
void device_asks(const unsigned char *key, unsigned which);
/* Addresses of the device's invariant memory and of the function that may be called. */
uint64_t device_memory(void);
uint64_t device_function(void);

#ifdef __cplusplus
}
#endif

#endif
