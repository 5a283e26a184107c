// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Options, and what a runtime tells of itself. */
#include "failed.h"

int main(void) {
  sartor_runtime *runtime;
  char *told;
  double compiles;

  /* One compile for a variant, not a quick one first; 8 MiB for all code; names for perf. */
  must(sartor_open_with("{\"quick_tier\": false, \"code_cache_bytes\": 8388608, \"perf\": \"map\"}",
                        &runtime));
  must(sartor_specialize(runtime, "{\"stride\": 4}"));

  must(sartor_statistics(runtime, &told)); /* JSON, as all that is told */
  must(sartor_json_number(told, "/compiles", &compiles));
  printf("compiles: %g\n", compiles);
  sartor_free(told);
  must(sartor_configuration(runtime, &told));
  printf("in force: %s\n", told);
  sartor_free(told);
  sartor_close(runtime);

  /* A mistake is told, with what was meant. */
  if (sartor_open_with("{\"quick_tear\": false}", &runtime) != SARTOR_OK)
    printf("%s\n", sartor_last_error());
  return 0;
}
