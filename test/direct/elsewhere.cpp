// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A file without handlers that calls handlers of other files.

#include "elsewhere.h"

long next(long a, long n) { return a * n; }

long times_elsewhere(long a, long n) { return times(a, n); }
const std::array<long (*)(long, long), 2> table{times, checked_times};
