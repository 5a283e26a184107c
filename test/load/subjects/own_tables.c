// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table of distances that C code evaluates itself.
#include <stdint.h>

__asm__(".section .rodata, \"a\", @progbits\n"
        ".balign 4\n"
        ".hidden own_table\n"
        "own_table:\n"
        "  .long own_one - own_table\n"
        "  .long own_two - own_table\n"
        "  .long own_three - own_table\n"
        ".data\n"
        ".balign 4\n"
        "own_one: .long 11\n"
        "own_two: .long 22\n"
        "own_three: .long 33\n"
        ".text\n");
extern const int32_t own_table[3] __attribute__((visibility("hidden")));

int own_table_read(int which) {
  const int32_t distance = own_table[which];
  return *(const int *)((const char *)own_table + distance);
}

int own_table_sum(void) {
  int sum = 0;
  for (const int32_t *word = own_table; word != own_table + 3; ++word)
    sum += *(const int *)((intptr_t)own_table + *word);
  return sum;
}
