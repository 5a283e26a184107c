// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

/// Written after the call, so that it is no tail call and there is a frame to unwind.
int through_c_calls;

void through_c(void (*callback)(void *), void *data) {
  callback(data);
  ++through_c_calls;
}
