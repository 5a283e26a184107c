// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.h"

long times_of_other_library(long a, long n) { return library_times(a, n); }
