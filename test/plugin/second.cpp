// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

template double doubled<double>(double);
template long added<2>(long);

extern "C" SARTOR_HANDLER long second(long x) { return shared_inline(x) + Scale{5}.apply(x); }
extern "C" long only_in_second(long x) { return sartor_generic("second", x) + 1; }
