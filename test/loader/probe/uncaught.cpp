// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends by an exception that nobody catches.
#include "exceptions.h"

int main() {
  throw_error(1);
  return 0;
}
