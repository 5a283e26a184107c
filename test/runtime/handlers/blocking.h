// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_BLOCKING_H
#define SARTOR_TEST_RUNTIME_HANDLERS_BLOCKING_H

#include <csetjmp>
#include <cstdint>

/// Words arrive through pipes.
struct Channel {
  std::uint64_t received;
  std::uint64_t mode; ///< Usually unchanged.
  /// Called by receive_and_ask_by_pointer().
  std::uint64_t (*how)(const Channel *, std::uint64_t) = nullptr;
};

/// The mode before and after a word arrived, and the word.
struct Received {
  std::uint64_t before;
  std::uint64_t word;
  std::uint64_t after;
  bool is_folded; ///< `mode` after the word has arrived.
};
Received receive(Channel *channel, int pipe);

/// Receives `count` words; returns the sum of the words, each multiplied by the mode at that time.
std::uint64_t receive_all(Channel *channel, int pipe, std::uint64_t count);

/// Leaves a blocking section in its middle by `way`: 0, not at all; 1, return; 2, break; 3, an
/// exception that is caught within; 4, one that is not; 5, goto. Returns the mode afterwards.
std::uint64_t receive_and_leave(Channel *channel, int pipe, int way);

/// Blocks in a function that is inlined into the handler, or in one that is not.
std::uint64_t receive_by_inline(Channel *channel, int pipe);
std::uint64_t receive_by_call(Channel *channel, int pipe);

/// Calls receive() through a function pointer, as the program would.
std::uint64_t receive_by_other(Channel *channel, int pipe, Received (*receive)(void *, int),
                               void *how);

/// Leaves by longjmp().
std::uint64_t receive_and_jump(Channel *channel, int pipe, std::jmp_buf *where);

/// Folds a separate function and calls it before and after blocking.
std::uint64_t receive_and_ask(Channel *channel, int pipe);
/// Loads `how` and calls it before blocking, within, and afterwards.
std::uint64_t receive_and_ask_by_pointer(Channel *channel, int pipe);
std::uint64_t ask_outside(const Channel *channel, std::uint64_t word);

extern "C" std::uint64_t word_from(int pipe);

#endif
