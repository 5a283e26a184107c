// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
enum { size = 100 << 20 };

char library_large[size];
// Located before .bss, in data that the file holds.
int initialised[3] = {1, 2, 3};

unsigned long library_size(void) { return size; }

int library_is_zero(void) {
  for (unsigned long i = 0; i < size; i += 4096) {
    if (library_large[i])
      return 0;
  }
  return library_large[size - 1] == 0 && initialised[2] == 3;
}
