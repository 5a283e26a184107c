// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A bound on how long a compile may take. */
#include "failed.h"

int main(void) {
  sartor_runtime *runtime;
  char *in_force;
  must(sartor_open_with("{\"compile_timeout\": 0.001}", &runtime)); /* seconds; 30 by default */
  if (sartor_specialize(runtime, "{\"rounds\": 64}") == SARTOR_ERROR_COMPILE_TIMEOUT)
    printf("too long: %s\n", sartor_last_error_subject());

  /* What was in force is in force, and the runtime is as good as before. */
  must(sartor_configuration(runtime, &in_force));
  printf("in force: %s\n", in_force);
  sartor_free(in_force);
  sartor_close(runtime);

  must(sartor_open_with("{\"compile_timeout\": 60}", &runtime));
  must(sartor_specialize(runtime, "{\"rounds\": 64}"));
  printf("in time\n");
  sartor_close(runtime);
  return 0;
}
