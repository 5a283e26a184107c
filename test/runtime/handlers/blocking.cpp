// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blocking.h"

#include <sartor/points.h>

SARTOR_HANDLER Received receive(Channel *channel, int pipe) {
  Received received{channel->mode, 0, 0, false};
  sartor_blocking received.word = word_from(pipe);
  ++channel->received;
  received.after = channel->mode;
  received.is_folded = __builtin_constant_p(channel->mode) != 0;
  return received;
}

SARTOR_HANDLER std::uint64_t receive_all(Channel *channel, int pipe, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    sartor_blocking { word = word_from(pipe); }
    sum += word * channel->mode;
  }
  return sum;
}

SARTOR_HANDLER std::uint64_t receive_and_leave(Channel *channel, int pipe, int way) {
  const std::uint64_t before = channel->mode;
  try {
    sartor_blocking {
      const std::uint64_t word = word_from(pipe);
      if (way == 1)
        return channel->mode + word - word;
      if (way == 2)
        break;
      if (way == 3)
        throw 3;
      if (way == 4)
        throw 4L;
      if (way == 5)
        goto out;
      ++channel->received;
    }
  } catch (int) {
    return channel->mode;
  }
out:
  return before == 0 ? 0 : channel->mode;
}

static std::uint64_t word_within(Channel *channel, int pipe) {
  std::uint64_t word = 0;
  sartor_blocking word = word_from(pipe);
  return word + channel->mode;
}
SARTOR_HANDLER std::uint64_t receive_by_inline(Channel *channel, int pipe) {
  return word_within(channel, pipe) + 10 * channel->mode;
}

__attribute__((noinline)) static std::uint64_t word_elsewhere(int pipe) {
  std::uint64_t word = 0;
  sartor_blocking word = word_from(pipe);
  return word;
}
SARTOR_HANDLER std::uint64_t receive_by_call(Channel *channel, int pipe) {
  const std::uint64_t before = channel->mode;
  return word_elsewhere(pipe) + 10 * channel->mode + 100 * before;
}

SARTOR_HANDLER std::uint64_t receive_by_other(Channel *channel, int pipe,
                                              Received (*receive)(void *, int), void *how) {
  const std::uint64_t before = channel->mode;
  return receive(how, pipe).word + 10 * channel->mode + 100 * before;
}

SARTOR_HANDLER std::uint64_t receive_and_jump(Channel *channel, int pipe, std::jmp_buf *where) {
  sartor_blocking {
    if (word_from(pipe) != 0)
      longjmp(*where, 1);
  }
  return channel->mode;
}

// Never inlined, so that each variant contains it as a function.
__attribute__((noinline)) static std::uint64_t ask(const Channel *channel, std::uint64_t word) {
  return channel->mode * 1000 + word;
}
SARTOR_HANDLER std::uint64_t receive_and_ask(Channel *channel, int pipe) {
  const std::uint64_t before = ask(channel, 1);
  std::uint64_t word = 0;
  sartor_blocking word = word_from(pipe);
  return before * 1'000'000 + ask(channel, word);
}

std::uint64_t ask_outside(const Channel *channel, std::uint64_t word) {
  return channel->mode * 1000 + word;
}
SARTOR_HANDLER std::uint64_t receive_and_ask_by_pointer(Channel *channel, int pipe) {
  const auto how = channel->how;
  const std::uint64_t before = how(channel, 1);
  std::uint64_t word = 0;
  std::uint64_t within = 0;
  sartor_blocking {
    word = word_from(pipe);
    within = how(channel, word);
  }
  return (before * 1'000'000 + within) * 1'000'000 + how(channel, word);
}
