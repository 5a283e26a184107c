// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_CHECK_H
#define SARTOR_LOADER_PROBE_CHECK_H

#include <stdio.h>
#include <string.h>

/// Reports a false condition and counts it; a probe's exit status is wrong_count().
#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)

static int wrong_checks;

static inline int check_that(int holds, const char *file, int line, const char *what) {
  if (!holds) {
    const char *name = strrchr(file, '/');
    printf("wrong: %s:%d: %s\n", name ? name + 1 : file, line, what);
    ++wrong_checks;
  }
  return holds;
}

static inline int wrong_count(void) {
  puts(wrong_checks ? "failed" : "all as expected");
  return wrong_checks ? 1 : 0;
}

#endif
