// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_BLOCKING_H
#define SARTOR_TEST_RUNTIME_HANDLERS_BLOCKING_H

#include <csetjmp>
#include <cstdint>

/// Words come through pipes.
struct Channel {
  std::uint64_t received;
  std::uint64_t mode; ///< Usually the same.
};

/// What it was before and after a word came, and which.
struct Received {
  std::uint64_t before;
  std::uint64_t word;
  std::uint64_t after;
  bool is_folded; ///< `mode`, afterwards.
};
Received receive(Channel *channel, int pipe);

/// As many words as `count`; gives the sum of words, each times the mode then.
std::uint64_t receive_all(Channel *channel, int pipe, std::uint64_t count);

/// By ways that leave a block in its middle: 0, none; 1, return; 2, break; 3, an exception that is
/// caught within; 4, one that is not; 5, goto. Gives the mode afterwards.
std::uint64_t receive_and_leave(Channel *channel, int pipe, int way);

/// Blocks in a function that is a part of the handler, and in one that is not.
std::uint64_t receive_by_inline(Channel *channel, int pipe);
std::uint64_t receive_by_call(Channel *channel, int pipe);

/// Calls receive() as the program would, by what it is given.
std::uint64_t receive_by_other(Channel *channel, int pipe, Received (*receive)(void *, int),
                               void *how);

/// Leaves by longjmp().
std::uint64_t receive_and_jump(Channel *channel, int pipe, std::jmp_buf *where);

/// Folds a function of its own, and asks it before and after.
std::uint64_t receive_and_ask(Channel *channel, int pipe);

extern "C" std::uint64_t word_from(int pipe);

#endif
