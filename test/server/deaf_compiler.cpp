// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compiler that never answers, and ends with the process that has started it.
#include <unistd.h>

int main() {
  for (char bytes[64]; read(3, bytes, sizeof bytes) > 0;)
    ;
}
