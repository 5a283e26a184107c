// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_LOCAL_LEAVES_H
#define SARTOR_TEST_SPECIALIZE_LOCAL_LEAVES_H

constexpr unsigned local_leaves_registers = 4;

extern "C" {

/// Handlers with registers in memory: left by what is thrown, by longjmp(), and not at all.
long local_leaves(long bias, long *memory, long steps);
long local_catches(long bias, long *memory, long steps);

/// Throws its argument where that is a multiple of 7, but 0.
void local_may_throw(long number);
/// By longjmp(), to where the test is.
[[noreturn]] void local_jump_away();
}

#endif
