// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Handling errors by code. */
#include "failed.h"

static void try(sartor_runtime *runtime, const char *configuration) {
  switch (sartor_specialize(runtime, configuration)) {
  case SARTOR_OK:
    printf("%s is active\n", configuration);
    break;
  case SARTOR_ERROR_UNKNOWN_LABEL: /* perhaps of another version: continue without it */
    printf("no point %s: %s\n", sartor_last_error_subject(), sartor_last_error_remedy());
    break;
  case SARTOR_ERROR_VALUE_OUTSIDE_CHOICES:
    printf("%s %s\n", sartor_last_error_subject(), sartor_last_error_message());
    break;
  default:
    printf("%s\n", sartor_error_name(sartor_last_error_code()));
  }
}

int main(void) {
  sartor_runtime *runtime;
  must(sartor_open(&runtime));
  try(runtime, "{\"stride\": 4}");
  try(runtime, "{\"strid\": 4}"); /* a failed call changes nothing */
  try(runtime, "{\"stride\": 3}");
  try(runtime, "{\"stride\"");
  /* Checks a configuration without compiling or activating it. */
  printf("check: %s\n", sartor_error_name(sartor_check(runtime, "{\"stride\": 3}")));

  /* Compares the type for a cast with that of the handler, which has four parameters. */
  void (*function)(void);
  const sartor_form forms[] = {SARTOR_FORM(size_t), SARTOR_FORM(const void *), SARTOR_FORM(int)};
  if (sartor_handler_checked(runtime, "count_bytes", forms, 3, &function) != SARTOR_OK)
    printf("%s\n", sartor_error_name(sartor_last_error_code()));
  sartor_close(runtime);
  return 0;
}
