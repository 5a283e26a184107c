/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What tests in C check with. */
#ifndef SARTOR_TEST_CHECK_H
#define SARTOR_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <sartor/sartor.h>

__attribute__((unused)) static int failures;

/* Tells of it, and goes on. */
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #condition,              \
              sartor_last_error());                                                                \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (0)

/* What comes after it makes no sense without. */
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #condition,              \
              sartor_last_error());                                                                \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)

#endif
