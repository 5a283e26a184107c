/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "blocking_c.h"

#include <sartor/points.h>

SARTOR_HANDLER uint64_t receive_in_c(struct CChannel *channel, int pipe) {
  const uint64_t before = channel->mode;
  sartor_blocking {
    if (word_from(pipe) == 0)
      return 0;
  }
  return 10 * before + channel->mode;
}

struct CChannel only_channel = {3};

SARTOR_HANDLER_DIRECT uint64_t receive_directly(int pipe) {
  const uint64_t before = only_channel.mode;
  sartor_blocking word_from(pipe);
  return 10 * before + only_channel.mode + (__builtin_constant_p(only_channel.mode) ? 1000 : 0);
}
