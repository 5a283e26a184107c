// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter.h"

#include <stdio.h>

#include <sartor/c/sartor.h>

static int failed(const char *what) {
  printf("%s: %s\n", what, sartor_last_error());
  return 1;
}

int tune(void) {
  const unsigned char text[] = "the cat sat on the mat";
  sartor_runtime *runtime;
  if (sartor_open(&runtime) != SARTOR_OK)
    return failed("open");
  void (*function)(void);
  if (sartor_handler(runtime, "count_bytes", &function) != SARTOR_OK)
    return failed("handler");
  size_t (*count)(const unsigned char *, size_t, unsigned char, size_t) =
      (size_t (*)(const unsigned char *, size_t, unsigned char, size_t))function;
  printf("generic: %zu\n", count_bytes(text, sizeof text - 1, 't', 1));
  if (sartor_specialize(runtime, "{\"byte\": 116, \"stride\": 1}") != SARTOR_OK)
    return failed("specialize");
  printf("specialized: %zu\n", count(text, sizeof text - 1, 't', 1));
  printf("guarded: %zu\n", count(text, sizeof text - 1, 'a', 4));
  sartor_close(runtime);
  return 0;
}
