// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose library's functions LD_PRELOAD may replace, including those that the library
// itself calls.
#include <stdio.h>
#include <stdlib.h>

const char *greeting(void);
const char *polite_greeting(void);

int main(void) {
  printf("%s\n%s\n%ld\n", greeting(), polite_greeting(), labs(-42));
  return 0;
}
