/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assertions for tests in C. */
#ifndef SARTOR_TEST_CHECK_H
#define SARTOR_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <sartor/c/sartor.h>

__attribute__((unused)) static int failures;

/* Reports a failure and continues. */
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #condition,              \
              sartor_last_error());                                                                \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (0)

/* Reports a failure and ends the test, because the following steps depend on the condition. */
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #condition,              \
              sartor_last_error());                                                                \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)

#endif
