// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIRECT_LIBRARY_H
#define SARTOR_TEST_DIRECT_LIBRARY_H

/// A handler of a library, and functions of that library that use it.
long library_times(long a, long n) noexcept;
void specialize_library(long n);
void end_library_runtime();

/// A function of another library that calls the handler.
long times_of_other_library(long a, long n);

#endif
