// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A limit on the time of a compilation. */
#include "failed.h"

int main(void) {
  sartor_runtime *runtime;
  char *active;
  must(sartor_open_with("{\"compile_timeout\": 0.001}", &runtime)); /* seconds; 30 by default */
  if (sartor_specialize(runtime, "{\"rounds\": 64}") == SARTOR_ERROR_COMPILE_TIMEOUT)
    printf("too long: %s\n", sartor_last_error_subject());

  /* The active configuration has not changed, and the runtime can be used as before. */
  must(sartor_configuration(runtime, &active));
  printf("active: %s\n", active);
  sartor_free(active);
  sartor_close(runtime);

  must(sartor_open_with("{\"compile_timeout\": 60}", &runtime));
  must(sartor_specialize(runtime, "{\"rounds\": 64}"));
  printf("in time\n");
  sartor_close(runtime);
  return 0;
}
