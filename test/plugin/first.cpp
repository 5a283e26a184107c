// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

template long doubled<long>(long);
template long added<1>(long);

extern "C" SARTOR_HANDLER long first(long x) {
  return shared_inline(x) + Scale{2}.apply(x) + only_in_second(x);
}
