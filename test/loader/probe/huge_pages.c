// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints how many KiB of executable memory are on huge pages of files. With a file as argument:
// maps the file, and prints how many KiB of it are.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Code that is large enough for huge pages of its own.
__asm__(".text\n.fill 6 << 20, 1, 0x90\nret");

static unsigned long on_huge_pages(void) {
  FILE *file = fopen("/proc/self/smaps", "r");
  char line[4096];
  char protection[5] = "";
  unsigned long sum = 0;
  const char *name = "FilePmdMapped:";
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "%*x-%*x %4s", protection);
    if (strchr(protection, 'x') && strncmp(line, name, strlen(name)) == 0)
      sum += strtoul(line + strlen(name), NULL, 10);
  }
  if (file)
    fclose(file);
  return sum;
}

int main(int count, char **arguments) {
  const uintptr_t huge = 2 << 20;
  if (count > 1) {
    const uintptr_t size = 5 * huge;
    const int file = open(arguments[1], O_RDONLY);
    char *room = mmap(NULL, size + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *at = room + (-(uintptr_t)room & (huge - 1));
    if (file < 0 || room == MAP_FAILED ||
        mmap(at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) != at)
      return 2;
    madvise(at, size, MADV_HUGEPAGE);
    for (uintptr_t i = 0; i < size; i += huge)
      *(volatile char *)(at + i);
  }
  printf("%lu\n", on_huge_pages());
  return 0;
}
