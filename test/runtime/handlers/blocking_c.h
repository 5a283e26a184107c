/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_BLOCKING_C_H
#define SARTOR_TEST_RUNTIME_HANDLERS_BLOCKING_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CChannel {
  uint64_t mode;
};
extern struct CChannel only_channel;

uint64_t receive_in_c(struct CChannel *channel, int pipe);
/* Called directly, by its own name. */
uint64_t receive_directly(int pipe);

uint64_t word_from(int pipe);

#ifdef __cplusplus
}
#endif

#endif
