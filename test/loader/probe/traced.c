// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that calls functions of its own, of a library and of the C library a known number of
// times.
#include <stdio.h>
#include <unistd.h>

unsigned traced_work(unsigned number);
__attribute__((noinline)) unsigned traced_step(unsigned number);

__attribute__((noinline)) unsigned traced_step(unsigned number) {
  return traced_work(number) + (getppid() == 0);
}

int main(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 60; ++i)
    sum += traced_step(i);
  for (unsigned i = 0; i < 40; ++i)
    sum += traced_work(i);
  printf("%u\n", sum);
  return 0;
}
