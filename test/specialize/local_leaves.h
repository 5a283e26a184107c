// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_LOCAL_LEAVES_H
#define SARTOR_TEST_SPECIALIZE_LOCAL_LEAVES_H

constexpr unsigned local_leaves_registers = 4;

extern "C" {

/// Handlers with registers in memory: left by an exception, by longjmp(), and not at all.
long local_leaves(long bias, long *memory, long steps);
long local_catches(long bias, long *memory, long steps);

/// Throws its argument if it is a multiple of 7, except 0.
void local_may_throw(long number);
/// Calls longjmp() to a position in the test.
[[noreturn]] void local_jump_away();
}

#endif
