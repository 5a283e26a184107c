// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A statically linked program.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  printf("static: %d %s %s\n", argc, argc > 1 ? argv[1] : "", getenv("PROBE"));
  return 4;
}
