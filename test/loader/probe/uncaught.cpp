// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends with an uncaught exception.
#include "exceptions.h"

int main() {
  throw_error(1);
  return 0;
}
