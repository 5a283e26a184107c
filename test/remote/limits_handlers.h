// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_REMOTE_LIMITS_HANDLERS_H
#define SARTOR_TEST_REMOTE_LIMITS_HANDLERS_H

/// Scrambles `x`; `n` is the point "rounds". A variant has about 64 instructions for each round.
unsigned long scrambled(unsigned long x, long n);

#endif
