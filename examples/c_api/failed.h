// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FAILED_H
#define FAILED_H

#include <stdio.h>
#include <stdlib.h>

#include <sartor/c/sartor.h>

/** Prints the last error and ends the program, unless `status` is SARTOR_OK. */
static inline void must(sartor_status status) {
  if (status == SARTOR_OK)
    return;
  printf("%s\n", sartor_last_error());
  exit(EXIT_FAILURE);
}

#endif
