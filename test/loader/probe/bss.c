// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { size = 300 << 20 };
static char large[size];
extern char library_large[];
unsigned long library_size(void);
int library_is_zero(void);

int main(void) {
  for (size_t i = 0; i < size; i += 1 << 20)
    CHECK(large[i] == 0);
  large[size - 1] = 1;
  CHECK(library_is_zero());
  CHECK(library_large[library_size() - 1] == 0);
  library_large[library_size() - 1] = 2;
  CHECK(!library_is_zero());
  char *end = sbrk(0);
  CHECK(sbrk(64 << 20) == end);
  memset(end, 1, 64 << 20);
  char *block = malloc(10 << 20);
  CHECK(block && memset(block, 1, 10 << 20) == block);
  return wrong_count();
}
