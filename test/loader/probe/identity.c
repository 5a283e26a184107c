// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints a program's view of itself.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

extern char **environ;

static void print_file(const char *path) {
  char text[8192];
  FILE *file = fopen(path, "re");
  const size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  for (size_t i = 0; i < size; ++i)
    putchar(text[i] ? text[i] : '\n');
  if (file)
    fclose(file);
}

static int by_text(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

int main(int argc, char **argv) {
  char path[4096];
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "exe") == 0) {
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    printf("%.*s\n", (int)size, path);
  } else if (strcmp(what, "arguments") == 0) {
    for (int i = 0; i <= argc; ++i)
      puts(argv[i] ? argv[i] : "end");
    printf("%s %s\n", program_invocation_name, program_invocation_short_name);
  } else if (strcmp(what, "environment") == 0) {
    size_t count = 0;
    while (environ[count])
      ++count;
    // The order of variables does not matter.
    qsort((void *)environ, count, sizeof *environ, by_text);
    for (size_t i = 0; i < count; ++i)
      puts(environ[i]);
  } else if (strcmp(what, "proc") == 0) {
    print_file("/proc/self/cmdline");
    print_file("/proc/self/comm");
  } else if (strcmp(what, "handles") == 0) {
    for (int i = 0; i < 64; ++i) {
      if (lseek(i, 0, SEEK_CUR) >= 0 || errno != EBADF)
        printf("%d ", i);
    }
    puts("");
  }
  return 0;
}
