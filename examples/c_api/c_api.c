// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter.h"

#include <stdio.h>

#include <sartor/c/sartor.h>

typedef size_t (*count_function)(const unsigned char *, size_t, unsigned char, size_t);

static int failed(const char *what) {
  printf("%s: %s\n", what, sartor_last_error());
  return 1;
}

int main(void) {
  const unsigned char text[] = "the cat sat on the mat";
  sartor_runtime *runtime;
  if (sartor_open(&runtime) != SARTOR_OK)
    return failed("open");

  void (*function)(void);
  if (sartor_handler(runtime, "count_bytes", &function) != SARTOR_OK)
    return failed("handler");
  const count_function count = (count_function)function; /* the address never changes */

  char *space;
  if (sartor_space(runtime, &space) != SARTOR_OK)
    return failed("space");
  printf("space: %s\n", space);
  sartor_free(space);

  printf("generic: %zu\n", count(text, sizeof text - 1, 't', 1));
  if (sartor_specialize(runtime, "{\"byte\": 116, \"stride\": 1}") != SARTOR_OK)
    return failed("specialize");
  printf("specialized: %zu\n", count(text, sizeof text - 1, 't', 1));

  /* A mistake is an error, and the active variant stays active. */
  if (sartor_specialize(runtime, "{\"strid\": 4}") != SARTOR_OK)
    failed("as expected");
  printf("still: %zu\n", count(text, sizeof text - 1, 't', 1));

  sartor_close(runtime);
  return 0;
}
