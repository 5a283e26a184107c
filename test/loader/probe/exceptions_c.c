// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

/// Not the last thing it does, so that there is a frame to unwind.
int through_c_calls;

void through_c(void (*callback)(void *), void *data) {
  callback(data);
  ++through_c_calls;
}
