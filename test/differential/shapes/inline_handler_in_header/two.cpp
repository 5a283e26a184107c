// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handler.h"
SHAPE_C SARTOR_HANDLER long two(long x) { return shared(x) * 5 + helper(x); }
SHAPE_C long (*volatile call_two)(long) = two;
