#include "handlers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sartor/c/sartor.h>

typedef int64_t (*polynomial_function)(const int64_t *, int, int64_t);

static void must(sartor_status status) {
  if (status == SARTOR_OK)
    return;
  fprintf(stderr, "%s\n", sartor_last_error());
  exit(EXIT_FAILURE);
}

int main(void) {
  const int64_t coefficients[] = {1, 2, 3, 4, 5};

  sartor_runtime *runtime;
  must(sartor_open(&runtime));
  void (*function)(void);
  must(sartor_handler(runtime, "polynomial", &function));
  const polynomial_function evaluate = (polynomial_function)function; /* stays the same */

  printf("generic: %" PRId64 "\n", evaluate(coefficients, 4, 10));
  must(sartor_specialize(runtime, "{\"terms\": 4}"));
  printf("specialized: %" PRId64 "\n", evaluate(coefficients, 4, 10));
  /* The variant is for four terms. With five, its guard fails and generic code continues. */
  printf("guarded: %" PRId64 "\n", evaluate(coefficients, 5, 10));

  sartor_close(runtime);
  return 0;
}
