/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_DEVICE_PROGRAM_CHECK_H
#define SARTOR_TEST_DEVICE_PROGRAM_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program if the condition is false. */
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#endif
