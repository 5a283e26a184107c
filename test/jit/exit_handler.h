// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_JIT_EXIT_HANDLER_H
#define SARTOR_TEST_JIT_EXIT_HANDLER_H

/// Returns 1 + 4 + ... + n * n.
long sum_of_squares(long n);

#endif
