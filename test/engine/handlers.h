// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_ENGINE_HANDLERS_H
#define SARTOR_TEST_ENGINE_HANDLERS_H

extern "C" {
long scale(long x, long m);
/// Calls `callback` from within the handler.
long through(long n, long (*callback)(long));
long sum_of(const long *values, long count);
}

#endif
