// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_ORDER_H
#define SARTOR_LOADER_PROBE_ORDER_H

void lower(void);
void upper(void);

#include <stdio.h>
#include <stdlib.h>

static inline void say(const char *who, int argc, char **argv, char **environment) {
  const char *const variable = getenv("PROBE");
  int same = 0;
  for (char **entry = environment; *entry; ++entry)
    same |= variable && *entry + sizeof "PROBE" == variable;
  printf("%s: %d %s %s %s\n", who, argc, argc > 1 ? argv[1] : "", variable ? variable : "",
         same ? "environment" : "");
}

#endif
