// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Options and statistics of a runtime. */
#include "failed.h"

int main(void) {
  sartor_runtime *runtime;
  char *reported;
  double compiles;

  /* One compilation per variant, no quick one first; 8 MiB of code memory; symbols for perf. */
  must(sartor_open_with("{\"quick_tier\": false, \"code_cache_bytes\": 8388608, \"perf\": \"map\"}",
                        &runtime));
  must(sartor_specialize(runtime, "{\"stride\": 4}"));

  must(sartor_statistics(runtime, &reported)); /* JSON, as all reports */
  must(sartor_json_number(reported, "/compiles", &compiles));
  printf("compiles: %g\n", compiles);
  sartor_free(reported);
  must(sartor_configuration(runtime, &reported));
  printf("active: %s\n", reported);
  sartor_free(reported);
  sartor_close(runtime);

  /* The error for a misspelled name suggests the right one. */
  if (sartor_open_with("{\"quick_tear\": false}", &runtime) != SARTOR_OK)
    printf("%s\n", sartor_last_error());
  return 0;
}
